import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Codec, RecordFault } from '../../src/foundation/index.js';
import { ProgramFile } from '../../src/programs/registry.js';
import { SessionFile } from '../../src/sessions/change/schema.js';
import * as conversation from '../../src/sessions/conversation/schema.js';
import { DOCUMENTS } from '../../src/sessions/loop/schema.js';
import { ProcessFile } from '../../src/sessions/process/schema.js';
import { AnswersFile, DraftFile, RequestFile, StatusFile } from '../../src/sessions/question/schema.js';
import { nodeFileSystem, ownIdentity } from '../../src/storage/index.js';
import { lockStateAt, serializeOwner } from '../../src/storage/lock/lock-record.js';
import { readBy } from '../support/records.js';

const ROOT = fileURLToPath(new URL('../fixtures/0.1', import.meta.url));
const FILES = readdirSync(ROOT, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

const LOOP_DOCUMENTS = new Map<string, Codec<unknown>>(
  Object.values(DOCUMENTS).map(({ file, codec }) => [file, codec as Codec<unknown>]),
);
const QUESTION_FILES = new Map<string, Codec<unknown>>([
  ['request.json', RequestFile as Codec<unknown>],
  ['status.json', StatusFile as Codec<unknown>],
  ['answers.json', AnswersFile as Codec<unknown>],
  ['draft.json', DraftFile as Codec<unknown>],
]);

function codecOf(path: string): Codec<unknown> | undefined {
  const name = basename(path);
  if (path.includes('/questions/')) return QUESTION_FILES.get(name);
  if (/openspec\/\.holdfast\/.*\.json$|ralph\/sessions\/.*\.json$/.test(path))
    return SessionFile as Codec<unknown>;
  if (path.includes('/processes/') && name === 'session.json') return ProcessFile as Codec<unknown>;
  if (path.includes('/programs/')) return ProgramFile as Codec<unknown>;
  return path.includes('/.prp-session/') ? LOOP_DOCUMENTS.get(name) : undefined;
}

/** Keys that release 0.1 did not have; they get their defaults when the document is written again. */
function addedTo(path: string): object {
  return basename(path) === 'loop-state.json' ? { phases_skipped: [] } : {};
}

const DOCUMENT_FILES = FILES.filter((path) => codecOf(path) !== undefined);

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  } catch {
    return undefined; // damaged on purpose
  }
}

describe('what release 0.1 wrote', () => {
  it('is all here', () => {
    const kinds = new Set(DOCUMENT_FILES.map(codecOf));
    expect([DOCUMENT_FILES.length > 100, kinds.size]).toEqual([true, 12]);
  });

  it.each(DOCUMENT_FILES)('%s is read and written back as it was, in every key', (path) => {
    const codec = codecOf(path) as Codec<unknown>;
    const disk = jsonIn(path);
    const read = readBy(codec, disk);
    if (disk === undefined) {
      expect(read).toBeInstanceOf(RecordFault);
      return;
    }
    expect(JSON.parse(JSON.stringify(codec.toDisk(read)))).toEqual({ ...(disk as object), ...addedTo(path) });
  });

  it.each(FILES.filter((path) => path.includes('.aurora/') && /\.jsonl$|-chat-/.test(path)))(
    'every line of %s is read and would be written as it was',
    (path) => {
      const lines = readFileSync(join(ROOT, path), 'utf8').split('\n').filter(Boolean);
      const values = lines.flatMap((line) => {
        try {
          return [JSON.parse(line) as Record<string, unknown>];
        } catch {
          return []; // damaged on purpose
        }
      });
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) {
        const { seq: _seq, crc: _crc, ...said } = value;
        const record = conversation.fromDisk(value);
        if (record === null || typeof record === 'string') throw new Error(`${path}: ${record}`);
        // Records written by another program lack our keys.
        const ours = said.type === 'metadata' ? { version: 1 } : said.type === 'turn' ? { turn: null } : {};
        expect(JSON.parse(JSON.stringify(conversation.toDisk(record)))).toEqual({ ...ours, ...said });
      }
    },
  );

  it.each(FILES.filter((path) => /\.lock\.\d+$/.test(path)))(
    '%s names its owner, or says that it is free',
    (path) => {
      const [, lock = '', epoch = ''] = /^(.*)\.lock\.(\d+)$/.exec(join(ROOT, path)) ?? [];
      const tools = { fileSystem: nodeFileSystem, identity: ownIdentity(nodeFileSystem) };
      const content = readFileSync(join(ROOT, path), 'utf8');
      const state = lockStateAt(tools, lock, Number(epoch));
      if (content.startsWith('{') && state?.owner !== undefined)
        expect(serializeOwner(state.owner)).toBe(content);
      else expect(state).toMatchObject({ hold: 'free' });
    },
  );
});
