import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { record, textThat, time, timestamp, whole, withDefault } from '../../../foundation/index.js';
import {
  createFile,
  DOCUMENT_VERSION,
  formatDocument,
  readDocument,
  writeDocument,
} from '../../../storage/index.js';
import { roomOf, type WebPlace } from './web-place.js';

/** `<state>/web/origin.json`: the page's name and port, which never change, so that browsers keep what they stored for it. */
const OriginRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  name: textThat((name) => /^hf-[a-z0-9]{8}$/.test(name), 'not a name of ours'),
  port: whole(1, 65_535),
  createdAt: time,
});

export interface FixedOrigin {
  readonly name: string;
  readonly port: number;
}

/** The name and port of the page, if it was ever served. Throws DOCUMENT_DAMAGED. */
export function readOrigin(place: WebPlace): FixedOrigin | undefined {
  return readDocument(place.tools.fileSystem, originPath(place), OriginRecord);
}

/** Fixes name and port at the first start; the first process decides the name. */
export function fixOrigin(place: WebPlace, port: number): FixedOrigin {
  const path = originPath(place);
  const content = {
    version: DOCUMENT_VERSION,
    name: `hf-${randomName()}`,
    port,
    createdAt: timestamp(place.tools.clock),
  };
  if (createFile(place.tools, path, formatDocument(path, content, OriginRecord))) return content;
  return readOrigin(place) ?? content;
}

/** Changes the port for good, at the person's request. */
export function movePort(place: WebPlace, port: number): void {
  const known = readDocument(place.tools.fileSystem, originPath(place), OriginRecord);
  if (known !== undefined && known.port !== port)
    writeDocument(place.tools, originPath(place), { ...known, port }, OriginRecord);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

function randomName(): string {
  return Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

function originPath(place: WebPlace): string {
  return join(roomOf(place), 'origin.json');
}
