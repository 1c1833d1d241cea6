// What the benchmark calls of Holdfast, bundled from `src/` on the fly. No measuring here: only our side of each row.
import { join } from 'node:path';
import { silentLogger, systemClock, systemIds } from '../src/foundation/index.js';
import { LoopSessions } from '../src/sessions/loop/index.js';
import { DEFAULT_LIMITS, FileQuestionStore, QuestionSessions } from '../src/sessions/question/index.js';
import {
  acquireLock,
  DirectoryWatcher,
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

/** A loop session; `iterate` commits one iteration, all files durable. */
export async function openLoop(directory: string): Promise<{ iterate(): void; close(): void }> {
  const loop = await new LoopSessions({ ...tools, directory }).create('plan.md');
  let total = 0;
  return {
    iterate() {
      total += 1;
      loop.commitIteration({
        run: 'answered',
        measured: {
          exitCode: 1,
          tests: { total, passing: 0, failing: total, skipped: 0 },
          hasTreeChanged: true,
          files: { created: 1, modified: 0, deleted: 0 },
          documents: { total: 0, decisionRecords: 0 },
        },
        claim: { metrics: {}, exitSignal: false },
      });
    },
    close: () => loop[Symbol.dispose](),
  };
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
