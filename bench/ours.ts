// What the benchmark calls of Holdfast, bundled from `src/` on the fly. No measuring here: only our side of each row.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { redact, silentLogger, systemClock, systemIds } from '../src/foundation/index.js';
import { ConversationSessions, FileConversationStore } from '../src/sessions/conversation/index.js';
import { DEFAULT_LIMITS, FileQuestionStore, QuestionSessions } from '../src/sessions/question/index.js';
import {
  acquireLock,
  checksumSeed,
  DirectoryWatcher,
  encodeRecord,
  type FileSystem,
  JsonlLog,
  type Lock,
  type LockTools,
  type LogRecord,
  nodeFileSystem,
  ownIdentity,
  replaceFile as replace,
} from '../src/storage/index.js';

const SESSION_ID = '00000000-0000-4000-8000-000000000000';
const tools = createTools(nodeFileSystem);

/** A log under a held lock, as a session keeps it; `append` returns once the record is on disk. */
export async function openLog(path: string): Promise<{ append(record: LogRecord): number; close(): void }> {
  const lock = await acquireLock(tools, path);
  JsonlLog.create(tools, path, SESSION_ID, { type: 'created' });
  const log = JsonlLog.open(tools, path, { sessionId: SESSION_ID, lock });
  return {
    append: (record) => log.append(record),
    close() {
      log.close();
      lock.release();
    },
  };
}

/** Replaces a file as a whole, durably. */
export function replaceFile(path: string, text: string): void {
  replace(tools, path, text);
}

/** Takes a lock, waiting for living owners as long as it needs. */
export function takeLock(path: string): Promise<Lock> {
  return acquireLock(tools, path, { waitMs: 120_000 });
}

/** Question sessions below a directory. `onLink` is told each name right before it becomes visible. */
export function openQuestions(directory: string, onLink: (path: string) => void = () => {}): Questions {
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    link(existing, added) {
      onLink(added);
      nodeFileSystem.link(existing, added);
    },
  };
  const own = createTools(fileSystem);
  const sessions = new QuestionSessions({
    ...own,
    store: new FileQuestionStore(own, {
      directory: join(directory, 'sets'),
      trash: join(directory, 'trash'),
    }),
    limits: DEFAULT_LIMITS,
    maxSessions: 10_000,
    retentionMs: 7 * 24 * 60 * 60 * 1_000,
    timeoutMs: 0,
  });
  return {
    create: async () => (await sessions.create([QUESTION], { isWaiting: true })).id,
    answer: (id) => sessions.answer(id, [{ questionIndex: 0, selectedOption: 'Yes' }]),
    wait: (id) => sessions.wait(id),
  };
}

export { redact };

/** The conversations of a directory. */
export function openConversations(directory: string): ConversationSessions {
  return new ConversationSessions({ ...tools, store: new FileConversationStore(tools, { directory }) });
}

/** Writes a conversation as if it had been held: metadata, turns, completed. */
export function writeConversation(
  directory: string,
  id: string,
  { turns, turnBytes }: { turns: number; turnBytes: number },
): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const seed = checksumSeed(id);
  const time = { timestamp: '2026-03-01T12:00:00.000Z' };
  const metadata = {
    type: 'metadata',
    session_id: id,
    agent: 'qa-test',
    created_at: time.timestamp,
    status: 'active',
    version: 1,
  };
  const descriptor = openSync(join(directory, `${id}.jsonl`), 'w', 0o600);
  let lines = [encodeRecord(metadata, 0, seed)];
  for (let turn = 1; turn <= turns; turn++) {
    const content = `${turn} `.padEnd(turnBytes - 150, 'All work and no play. ');
    const role = turn % 2 === 1 ? 'user' : 'assistant';
    lines.push(
      encodeRecord({ type: 'turn', role, content, ...time, tokens: turnBytes / 4, turn }, turn, seed),
    );
    if (lines.length < 1_000) continue;
    writeSync(descriptor, Buffer.concat(lines));
    lines = [];
  }
  lines.push(encodeRecord({ type: 'status', status: 'completed', ...time, turns }, turns + 1, seed));
  writeSync(descriptor, Buffer.concat(lines));
  closeSync(descriptor);
}

interface Questions {
  create(): Promise<string>;
  answer(id: string): Promise<unknown>;
  wait(id: string): Promise<{ readonly status: string }>;
}

const QUESTION = {
  title: 'Deploy',
  prompt: 'Deploy to production now?',
  options: [{ label: 'Yes' }, { label: 'No' }],
};

function createTools(fileSystem: FileSystem): LockTools {
  const common = { fileSystem, ids: systemIds, log: silentLogger };
  return {
    ...common,
    clock: systemClock,
    watcher: new DirectoryWatcher(common),
    identity: ownIdentity(fileSystem),
    command: 'holdfast bench',
  };
}
