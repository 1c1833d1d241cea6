import { join } from 'node:path';
import { DAY_MS, oneOf, record, text, time, whole, withDefault } from '../../../foundation/index.js';
import {
  createFile,
  DOCUMENT_VERSION,
  listDirectory,
  readDocument,
  removeQuietly,
  writeDocument,
} from '../../../storage/index.js';
import type { DeviceCapability } from '../../contract/index.js';
import { hashOf, isSecretOf, newSecret } from '../gate/secrets.js';
import { roomOf, type WebPlace } from './web-place.js';

/** What a device may do; each capability includes the one before it. */
export const CAPABILITIES = ['view', 'answer', 'steer'] as const satisfies readonly DeviceCapability[];

/** `<state>/web/code.json`: the one valid link. A newer one replaces it. */
const CodeRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  hash: text,
  can: oneOf(CAPABILITIES),
  createdAt: time,
  expiresAt: time,
});

const VALID_MS = 2 * 60_000;
/** How long a mark of use outlives its code, since clocks can be set back. */
const MARK_KEPT_MS = DAY_MS;
const MARK = /^used-(\d{1,16})-[0-9a-f]{64}$/;

export interface IssuedCode {
  readonly code: string;
  readonly can: DeviceCapability;
  readonly expiresAt: string;
}

/** Creates the code of a link, replacing an earlier one. Throws ATOMIC_WRITE_FAILED. */
export function issueCode(place: WebPlace, can: DeviceCapability): IssuedCode {
  const { tools } = place;
  sweepMarks(place);
  const code = newSecret(192);
  const now = tools.clock.now();
  const expiresAt = new Date(now.getTime() + VALID_MS).toISOString();
  const content = {
    version: DOCUMENT_VERSION,
    hash: hashOf(code),
    can,
    createdAt: now.toISOString(),
    expiresAt,
  };
  writeDocument(tools, codePath(place), content, CodeRecord);
  return { code, can, expiresAt };
}

/**
 * Uses up a code, across all servers. Returns what it allows, or undefined if it does not count. The mark is made with
 * link(2), so only the first of several uses of the same code succeeds. Throws ATOMIC_WRITE_FAILED.
 */
export function spendCode(place: WebPlace, code: string): DeviceCapability | undefined {
  const { tools } = place;
  const known = readDocument(tools.fileSystem, codePath(place), CodeRecord);
  if (known === undefined || !isSecretOf(code, known.hash)) return undefined;
  const [createdMs, expiresMs] = [Date.parse(known.createdAt), Date.parse(known.expiresAt)];
  const nowMs = tools.clock.now().getTime();
  if (nowMs > expiresMs || nowMs < createdMs) return undefined;
  const mark = join(place.directory, `used-${expiresMs}-${known.hash}`);
  return createFile(tools, mark, '') ? known.can : undefined;
}

function codePath(place: WebPlace): string {
  return join(roomOf(place), 'code.json');
}

function sweepMarks({ tools, directory }: WebPlace): void {
  const before = tools.clock.now().getTime() - MARK_KEPT_MS;
  for (const name of listDirectory(tools.fileSystem, directory)) {
    const [, expiresMs] = MARK.exec(name) ?? [];
    if (expiresMs !== undefined && Number(expiresMs) < before)
      removeQuietly(tools.fileSystem, join(directory, name));
  }
}
