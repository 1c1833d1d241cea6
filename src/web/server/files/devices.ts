import { join } from 'node:path';
import { dropSubscription } from '../../../app/notices/open-push.js';
import {
  DAY_MS,
  isHoldfastError,
  messageOf,
  oneOf,
  optional,
  record,
  text,
  textThat,
  time,
  timestamp,
  type ValueOf,
  whole,
  withDefault,
} from '../../../foundation/index.js';
import {
  createFile,
  DOCUMENT_VERSION,
  formatDocument,
  listDirectory,
  readDocument,
  writeDocument,
} from '../../../storage/index.js';
import type { DeviceCapability } from '../../contract/index.js';
import { DeviceNotFoundError } from '../errors.js';
import { hashOf, isSecretOf, newSecret } from '../gate/secrets.js';
import { CAPABILITIES } from './codes.js';
import { roomOf, type WebPlace } from './web-place.js';

const ID = /^[0-9a-f]{16}$/;

/** `<state>/web/devices/<id>.json`: a browser that signed in. Written twice at most: then, and when it is revoked. */
const DeviceRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  id: textThat((id) => ID.test(id), 'not the id of a device'),
  /** What the browser calls itself; it proves nothing. */
  name: text,
  can: oneOf(CAPABILITIES),
  /** The one origin that it is signed in at. */
  origin: text,
  cookieHash: text,
  keyHash: text,
  createdAt: time,
  revokedAt: optional(time),
  revokedReason: optional(text),
});
export type Device = Readonly<ValueOf<typeof DeviceRecord>>;

/** `<state>/web/devices/<id>.seen`: apart, so that who notes it never writes over a revocation. */
const SeenRecord = record({ version: withDefault(whole(), () => DOCUMENT_VERSION), at: time });

/** Without a request for so long a device must sign in again. */
export const KEPT_MS = 30 * DAY_MS;
const NOTED_EVERY_MS = 60 * 60_000;

export interface NewDevice {
  readonly device: Device;
  /** Told to the browser and to nobody else. */
  readonly cookie: string;
  readonly key: string;
}

/** Signs a browser in. Throws ATOMIC_WRITE_FAILED. */
export function addDevice(
  place: WebPlace,
  facts: { readonly name: string; readonly can: DeviceCapability; readonly origin: string },
): NewDevice {
  const [cookie, key] = [newSecret(256), newSecret(256)];
  const cookieHash = hashOf(cookie);
  const device: Device = {
    version: DOCUMENT_VERSION,
    id: idOf(cookieHash),
    ...facts,
    name: freeName(place, facts.name),
    cookieHash,
    keyHash: hashOf(key),
    createdAt: timestamp(place.tools.clock),
  };
  const path = devicePath(place, device.id);
  createFile(place.tools, path, formatDocument(path, device, DeviceRecord));
  return { device, cookie, key };
}

/** Answers carry the name of the device: two browsers of one kind must not have the same. */
function freeName(place: WebPlace, name: string): string {
  const taken = new Set(readDevices(place).flatMap((other) => (isLive(place, other) ? [other.name] : [])));
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`;
  return free;
}

/** The device of a cookie as its file stands now, or undefined: unknown, revoked, or away for too long. */
export function deviceOf(place: WebPlace, cookie: string): Device | undefined {
  const id = idOf(hashOf(cookie));
  const device = readDocument(place.tools.fileSystem, devicePath(place, id), DeviceRecord);
  if (device === undefined || !isSecretOf(cookie, device.cookieHash)) return undefined;
  return isLive(place, device) ? device : undefined;
}

/** Whether a device still counts: its file is read again. */
export function isStillSignedIn(place: WebPlace, id: string): boolean {
  const device = readDocument(place.tools.fileSystem, devicePath(place, id), DeviceRecord);
  return device !== undefined && isLive(place, device);
}

/** Notes that a device was there, now and then; whether it did. Never throws: it may be signed out sooner for that, nothing else. */
export function noteSeen(place: WebPlace, device: Device): boolean {
  const { tools } = place;
  const now = tools.clock.now();
  if (now.getTime() - Date.parse(seenAt(place, device)) < NOTED_EVERY_MS) return false;
  try {
    const content = { version: DOCUMENT_VERSION, at: now.toISOString() };
    writeDocument(tools, seenPath(place, device.id), content, SeenRecord);
    return true;
  } catch (error) {
    tools.log.warn('web.seen-not-noted', { device: device.id, error: messageOf(error) });
    return false;
  }
}

/** A device as the list of them tells it: nothing of its secrets. */
export interface DeviceReport {
  readonly id: string;
  readonly name: string;
  readonly can: DeviceCapability;
  readonly origin: string;
  readonly createdAt: string;
  readonly seenAt: string;
  readonly state: 'signed-in' | 'revoked' | 'expired';
  readonly reason: string | null;
}

/** All devices, the newest last; one that cannot be read is warned about. */
export function listDevices(place: WebPlace): DeviceReport[] {
  return readDevices(place)
    .map((device) => reportOf(place, device))
    .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** Signs out the device of an id, or of 4 or more characters of it; returns it. Throws DEVICE_NOT_FOUND. */
export function revokeDevice(place: WebPlace, typed: string, reason: string): DeviceReport {
  const found = readDevices(place).filter(
    ({ id }) => id === typed || (typed.length >= 4 && id.startsWith(typed)),
  );
  const [device] = found;
  if (device === undefined || found.length > 1) throw new DeviceNotFoundError(typed);
  return reportOf(place, revoke(place, device, reason));
}

/** Signs out all that are signed in, at one origin or everywhere. */
export function revokeDevices(
  place: WebPlace,
  reason: string,
  isMeant: (device: Device) => boolean = () => true,
): DeviceReport[] {
  return readDevices(place)
    .filter((device) => isLive(place, device) && isMeant(device))
    .map((device) => reportOf(place, revoke(place, device, reason)));
}

/** Calls back whenever devices may have come or gone. */
export function watchDevices(place: WebPlace, onHint: () => void): { close(): void } {
  return place.tools.watcher.watch(roomOf(place, 'devices'), () => onHint());
}

function revoke(place: WebPlace, device: Device, reason: string): Device {
  if (device.revokedAt !== undefined) return device;
  // First: who is signed out must not be told anything more.
  dropSubscription(place, device.id);
  const revoked = { ...device, revokedAt: timestamp(place.tools.clock), revokedReason: reason };
  writeDocument(place.tools, devicePath(place, device.id), revoked, DeviceRecord);
  return revoked;
}

function readDevices(place: WebPlace): Device[] {
  const { fileSystem, log } = place.tools;
  return listDirectory(fileSystem, roomOf(place, 'devices')).flatMap((name) => {
    const id = name.replace(/\.json$/, '');
    if (id === name || !ID.test(id)) return [];
    try {
      return readDocument(fileSystem, devicePath(place, id), DeviceRecord) ?? [];
    } catch (error) {
      // Who cannot be read cannot sign in either.
      if (!isHoldfastError(error)) throw error;
      log.warn('web.device-unreadable', { device: id, error: messageOf(error) });
      return [];
    }
  });
}

function isLive(place: WebPlace, device: Device): boolean {
  if (device.revokedAt !== undefined) return false;
  return place.tools.clock.now().getTime() - Date.parse(seenAt(place, device)) < KEPT_MS;
}

function seenAt(place: WebPlace, { id, createdAt }: Device): string {
  try {
    return readDocument(place.tools.fileSystem, seenPath(place, id), SeenRecord)?.at ?? createdAt;
  } catch (error) {
    if (!isHoldfastError(error, 'DOCUMENT_DAMAGED')) throw error;
    return createdAt; // it was only a note
  }
}

function reportOf(place: WebPlace, device: Device): DeviceReport {
  const { id, name, can, origin, createdAt, revokedAt, revokedReason } = device;
  const state = revokedAt !== undefined ? 'revoked' : isLive(place, device) ? 'signed-in' : 'expired';
  return {
    id,
    name,
    can,
    origin,
    createdAt,
    seenAt: seenAt(place, device),
    state,
    reason: revokedReason ?? null,
  };
}

/** The id is made of the hash: a cookie finds its file, and no part of what a browser sends is part of a path. */
function idOf(cookieHash: string): string {
  return cookieHash.slice(0, 16);
}

function devicePath(place: WebPlace, id: string): string {
  return join(roomOf(place, 'devices'), `${id}.json`);
}

function seenPath(place: WebPlace, id: string): string {
  return join(roomOf(place, 'devices'), `${id}.seen`);
}
