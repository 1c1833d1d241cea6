import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import {
  oneOf,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
  withDefault,
} from '../../../foundation/index.js';
import {
  createFile,
  DOCUMENT_VERSION,
  formatDocument,
  listDirectory,
  lookAt,
  readDocument,
  removeQuietly,
  writeDocument,
} from '../../../storage/index.js';
import type { DeviceCapability } from '../../contract/index.js';
import { hashOf, isSecretOf, newSecret } from '../gate/secrets.js';
import { CAPABILITIES } from './codes.js';
import { roomOf, type WebPlace } from './web-place.js';

const ID = /^[0-9a-f]{32}$/;

/** `<state>/web/pairing/code.json`: the one code that can be typed now. A newer one replaces it. */
const PairingRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  id: textThat((id) => ID.test(id), 'not the id of a pairing'),
  hash: text,
  can: oneOf(CAPABILITIES),
  createdAt: time,
  expiresAt: time,
});
type PairingRecord = Readonly<ValueOf<typeof PairingRecord>>;

/** `<id>.request`: the device that gave the right code and is waiting for the person. Created once, which uses up the code. */
const RequestRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  ticketHash: text,
  /** Shown on both screens, so that the person sees it is their own phone. */
  check: text,
  name: text,
  address: text,
  origin: text,
  expiresAt: time,
});
export type PairingRequest = Readonly<ValueOf<typeof RequestRecord>>;

/** `<id>.verdict`: the person's decision. Created once. */
const VerdictRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  verdict: oneOf(['yes', 'no']),
});

const VALID_MS = 2 * 60_000;
export const MAX_TRIES = 5;
/** Without letters and digits that look like others. */
const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 8;
const CHECK_LENGTH = 4;

export interface IssuedPairing {
  readonly id: string;
  readonly code: string;
  readonly expiresAt: string;
}

/** Creates a code to be typed on another device, replacing an earlier one. Throws ATOMIC_WRITE_FAILED. */
export function issuePairing(place: WebPlace, can: DeviceCapability): IssuedPairing {
  const { tools } = place;
  sweep(place);
  const code = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const now = tools.clock.now();
  const id = tools.ids.token();
  const expiresAt = after(now);
  const content = {
    version: DOCUMENT_VERSION,
    id,
    hash: hashOf(code),
    can,
    createdAt: now.toISOString(),
    expiresAt,
  };
  writeDocument(tools, codePath(place), content, PairingRecord);
  return { id, code, expiresAt };
}

/** Ends a pairing: its code no longer counts. The person's decision stays, for the device that is waiting for it. */
export function endPairing(place: WebPlace, id: string): void {
  const isDecided = lookAt(place.tools.fileSystem, inRoom(place, `${id}.verdict`)) !== undefined;
  if (!isDecided && current(place)?.id === id) removeQuietly(place.tools.fileSystem, codePath(place));
}

/** What a device shows and keeps while the person at the terminal decides. */
export interface PairingTicket {
  readonly ticket: string;
  readonly check: string;
}

/**
 * Asks to be paired with a code, across all servers; undefined if the code does not count. A try is recorded with link(2)
 * before anything is compared, so five guesses count as five however many arrive at once. Throws ATOMIC_WRITE_FAILED.
 */
export function askToPair(
  place: WebPlace,
  typed: string,
  facts: Pick<PairingRequest, 'name' | 'address' | 'origin'>,
): PairingTicket | undefined {
  const { tools } = place;
  const known = current(place);
  if (known === undefined || !isNow(place, known)) return undefined;
  const triesLeft = Array.from({ length: MAX_TRIES }, (_, index) => `${known.id}.try-${index + 1}`);
  if (!triesLeft.some((name) => createFile(tools, inRoom(place, name), ''))) return undefined;
  if (!isSecretOf(plainCode(typed), known.hash)) return undefined;
  const ticket = newSecret(192);
  const check = checkOf(ticket);
  const path = requestPath(place, known.id);
  const request = {
    version: DOCUMENT_VERSION,
    ticketHash: hashOf(ticket),
    check,
    ...facts,
    expiresAt: after(tools.clock.now()),
  };
  return createFile(tools, path, formatDocument(path, request, RequestRecord))
    ? { ticket, check }
    : undefined;
}

/** How a pairing stands, for the waiting terminal. */
export type PairingState =
  | { readonly name: 'waits' }
  | { readonly name: 'asked'; readonly request: PairingRequest }
  | { readonly name: 'claimed' }
  | { readonly name: 'over'; readonly why: 'expired' | 'tried too often' | 'replaced' };

export function pairingState(place: WebPlace, id: string): PairingState {
  const { fileSystem } = place.tools;
  if (lookAt(fileSystem, inRoom(place, `${id}.claimed`)) !== undefined) return { name: 'claimed' };
  const known = current(place);
  if (known?.id !== id) return { name: 'over', why: 'replaced' };
  const request = readDocument(fileSystem, requestPath(place, id), RequestRecord);
  if (request !== undefined)
    return isOver(place, request.expiresAt) ? { name: 'over', why: 'expired' } : { name: 'asked', request };
  const lastTry = lookAt(fileSystem, inRoom(place, `${id}.try-${MAX_TRIES}`));
  if (lastTry !== undefined) return { name: 'over', why: 'tried too often' };
  return isNow(place, known) ? { name: 'waits' } : { name: 'over', why: 'expired' };
}

/** Records the person's decision about the asking device; the first decision counts. */
export function decidePairing(place: WebPlace, id: string, isYes: boolean): void {
  const path = inRoom(place, `${id}.verdict`);
  const content = { version: DOCUMENT_VERSION, verdict: isYes ? ('yes' as const) : ('no' as const) };
  createFile(place.tools, path, formatDocument(path, content, VerdictRecord));
}

/** How a ticket stands. `undefined`: it does not count. */
export type PairingResult =
  | { readonly name: 'waits' }
  | { readonly name: 'declined' }
  | { readonly name: 'paired'; readonly can: DeviceCapability; readonly device: string };

/** Uses a ticket, once, at the origin where it was issued. Throws ATOMIC_WRITE_FAILED. */
export function claimPairing(place: WebPlace, ticket: string, origin: string): PairingResult | undefined {
  const { fileSystem } = place.tools;
  const known = current(place);
  if (known === undefined) return undefined;
  const request = readDocument(fileSystem, requestPath(place, known.id), RequestRecord);
  if (request === undefined || !isSecretOf(ticket, request.ticketHash) || request.origin !== origin)
    return undefined;
  const said = readDocument(fileSystem, inRoom(place, `${known.id}.verdict`), VerdictRecord);
  if (said?.verdict === 'no') return { name: 'declined' };
  if (isOver(place, request.expiresAt)) return undefined;
  if (said === undefined) return { name: 'waits' };
  if (!createFile(place.tools, inRoom(place, `${known.id}.claimed`), '')) return undefined;
  return { name: 'paired', can: known.can, device: request.name };
}

/** Calls back whenever a pairing may have changed. */
export function watchPairing(place: WebPlace, onHint: () => void): { close(): void } {
  return place.tools.watcher.watch(roomOf(place, 'pairing'), () => onHint());
}

/** The code in what people type: they may use lower case, dashes and spaces. */
function plainCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, '');
}

/** Four letters derived from a ticket: a person who reads the code over your shoulder has a different ticket. */
function checkOf(ticket: string): string {
  const bytes = Buffer.from(hashOf(`check:${ticket}`), 'hex');
  return [...bytes.subarray(0, CHECK_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

function current(place: WebPlace): PairingRecord | undefined {
  return readDocument(place.tools.fileSystem, codePath(place), PairingRecord);
}

function isNow(place: WebPlace, { createdAt, expiresAt }: PairingRecord): boolean {
  return place.tools.clock.now().getTime() >= Date.parse(createdAt) && !isOver(place, expiresAt);
}

function isOver(place: WebPlace, expiresAt: string): boolean {
  return place.tools.clock.now().getTime() > Date.parse(expiresAt);
}

function after(now: Date): string {
  return new Date(now.getTime() + VALID_MS).toISOString();
}

/** Removes what belongs to earlier codes. A device still waiting for one then learns that it is over. */
function sweep(place: WebPlace): void {
  const { fileSystem } = place.tools;
  for (const name of listDirectory(fileSystem, roomOf(place, 'pairing')))
    if (/^[0-9a-f]{32}\./.test(name)) removeQuietly(fileSystem, inRoom(place, name));
}

function codePath(place: WebPlace): string {
  return inRoom(place, 'code.json');
}

function requestPath(place: WebPlace, id: string): string {
  return inRoom(place, `${id}.request`);
}

function inRoom(place: WebPlace, name: string): string {
  return join(roomOf(place, 'pairing'), name);
}
