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

/** `<state>/web/devices/<id>.json`: a browser that signed in. Written at most twice: at sign-in, and when it is revoked. */
const DeviceRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  id: textThat((id) => ID.test(id), 'not the id of a device'),
  /** What the browser calls itself; this proves nothing. */
  name: text,
  can: oneOf(CAPABILITIES),
  /** The one origin at which it is signed in. */
  origin: text,
  cookieHash: text,
  keyHash: text,
  createdAt: time,
  revokedAt: optional(time),
  revokedReason: optional(text),
});
export type Device = Readonly<ValueOf<typeof DeviceRecord>>;

/** `<state>/web/devices/<id>.seen`: a separate file, so that updating it never overwrites a revocation. */
const SeenRecord = record({ version: withDefault(whole(), () => DOCUMENT_VERSION), at: time });

/** After this long without a request, a device must sign in again. */
export const KEPT_MS = 30 * DAY_MS;
const NOTED_EVERY_MS = 60 * 60_000;

export interface NewDevice {
  readonly device: Device;
  /** Given only to the browser. */
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

/** Answers carry the device's name, so two browsers of the same kind need different names. */
function freeName(place: WebPlace, name: string): string {
  const taken = new Set(readDevices(place).flatMap((other) => (isLive(place, other) ? [other.name] : [])));
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`;
  return free;
}

/** The device of a cookie by its current file, or undefined if it is unknown, revoked, or was away too long. */
export function deviceOf(place: WebPlace, cookie: string): Device | undefined {
  const id = idOf(hashOf(cookie));
  const device = readDocument(place.tools.fileSystem, devicePath(place, id), DeviceRecord);
  if (device === undefined || !isSecretOf(cookie, device.cookieHash)) return undefined;
  return isLive(place, device) ? device : undefined;
}

/** Whether a device is still signed in; reads its file again. */
export function isStillSignedIn(place: WebPlace, id: string): boolean {
  const device = readDocument(place.tools.fileSystem, devicePath(place, id), DeviceRecord);
  return device !== undefined && isLive(place, device);
}

/** Notes now and then that a device was seen; returns whether it did. Never throws: at worst the device is signed out sooner. */
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

/** A device as listed, without its secrets. */
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

/** All devices, newest last; warns about one that cannot be read. */
export function listDevices(place: WebPlace): DeviceReport[] {
  return readDevices(place)
    .map((device) => reportOf(place, device))
    .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** Signs out and returns the device with this id, given in full or by 4 or more characters. Throws DEVICE_NOT_FOUND. */
export function revokeDevice(place: WebPlace, typed: string, reason: string): DeviceReport {
  const found = readDevices(place).filter(
    ({ id }) => id === typed || (typed.length >= 4 && id.startsWith(typed)),
  );
  const [device] = found;
  if (device === undefined || found.length > 1) throw new DeviceNotFoundError(typed);
  return reportOf(place, revoke(place, device, reason));
}

/** Signs out every device, at one origin or everywhere. */
export function revokeDevices(
  place: WebPlace,
  reason: string,
  isMeant: (device: Device) => boolean = () => true,
): DeviceReport[] {
  return readDevices(place)
    .filter((device) => isLive(place, device) && isMeant(device))
    .map((device) => reportOf(place, revoke(place, device, reason)));
}

/** Calls back whenever devices may have been added or removed. */
export function watchDevices(place: WebPlace, onHint: () => void): { close(): void } {
  return place.tools.watcher.watch(roomOf(place, 'devices'), () => onHint());
}

function revoke(place: WebPlace, device: Device, reason: string): Device {
  if (device.revokedAt !== undefined) return device;
  // First, since a signed-out device must not get any more notices.
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
      // A device whose file cannot be read cannot be signed in either.
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
    return createdAt; // the note is not essential
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

/** The id derives from the hash: a cookie finds its file, and nothing a browser sends becomes part of a path. */
function idOf(cookieHash: string): string {
  return cookieHash.slice(0, 16);
}

function devicePath(place: WebPlace, id: string): string {
  return join(roomOf(place, 'devices'), `${id}.json`);
}

function seenPath(place: WebPlace, id: string): string {
  return join(roomOf(place, 'devices'), `${id}.seen`);
}
