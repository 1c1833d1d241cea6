import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RetainOptions, type RetainReport, retain } from '../../src/catalog/index.js';
import type { Ids } from '../../src/foundation/index.js';
import {
  DEFAULT_LIMITS,
  FileQuestionStore,
  type QuestionInput,
  QuestionSessions,
  type QuestionSessionsOptions,
} from '../../src/sessions/question/index.js';
import type { FileSystem, LockTools } from '../../src/storage/index.js';
import { FakeClock } from './fake-clock.js';
import { RecordingLog } from './recording-log.js';
import { storageTools } from './storage-tools.js';
import { type TempDir, tempDir } from './temp-dir.js';

export type QuestionFileName = 'request.json' | 'status.json' | 'answers.json';

/** Question sessions in their own directory, over real files and a clock that the test moves. */
export interface QuestionWorld extends AsyncDisposable {
  readonly dir: TempDir;
  /** Where the sets are. */
  readonly base: string;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly tools: LockTools;
  readonly store: FileQuestionStore;
  readonly sessions: QuestionSessions;
  /** The same directory through another instance, as another process would see it. */
  other(overrides?: WorldOptions): Pick<QuestionWorld, 'sessions' | 'store' | 'clean'>;
  /** Cleans as every surface does. */
  clean(
    options?: Partial<RetainOptions>,
  ): Promise<Pick<RetainReport, 'retired' | 'purged' | 'uncollected' | 'skipped'>>;
  path(id: string, file?: string): string;
  /** A parsed file of a set. */
  read(id: string, file: QuestionFileName): Record<string, unknown>;
  write(id: string, file: string, content: unknown): void;
  /** The names in a set's directory, without lock records. */
  files(id: string): string[];
}

export interface WorldOptions extends Partial<QuestionSessionsOptions> {
  readonly fileSystem?: FileSystem;
  readonly ids?: Ids;
  readonly autoAdvance?: boolean;
}

export async function questionWorld(options: WorldOptions = {}): Promise<QuestionWorld> {
  const dir = await tempDir();
  const base = dir.at('data', 'questions');
  const clock = (options.clock as FakeClock | undefined) ?? new FakeClock({ autoAdvance: true });
  const log = new RecordingLog();
  const build = (overrides: WorldOptions) => {
    const tools = storageTools({
      clock,
      log,
      ...(overrides.fileSystem === undefined ? {} : { fileSystem: overrides.fileSystem }),
      ...(overrides.ids === undefined ? {} : { ids: overrides.ids }),
    });
    const store = new FileQuestionStore(tools, {
      directory: base,
      trash: dir.at('data', 'trash', 'questions'),
    });
    const sessions = new QuestionSessions({
      ...tools,
      store,
      limits: overrides.limits ?? DEFAULT_LIMITS,
      maxSessions: overrides.maxSessions ?? 100,
      retentionMs: overrides.retentionMs ?? 7 * DAY_MS,
      timeoutMs: overrides.timeoutMs ?? 0,
    });
    const clean: QuestionWorld['clean'] = async (options) => {
      const { retentionMs: olderThanMs } = sessions;
      const report = await retain(sessions, { clock, log }, { olderThanMs, ...options });
      const { retired, purged, uncollected, skipped } = report;
      return { retired, purged, uncollected, skipped };
    };
    return { tools, store, sessions, clean };
  };
  const path = (id: string, file?: string) => (file === undefined ? join(base, id) : join(base, id, file));
  return {
    dir,
    base,
    clock,
    log,
    ...build(options),
    other: (overrides = {}) => build({ ...options, ...overrides }),
    path,
    read: (id, file) => JSON.parse(readFileSync(path(id, file), 'utf8')),
    write(id, file, content) {
      mkdirSync(path(id), { recursive: true, mode: 0o700 });
      writeFileSync(
        path(id, file),
        typeof content === 'string' ? content : JSON.stringify(content, null, 2),
        {
          mode: 0o600,
        },
      );
    },
    files: (id) =>
      readdirSync(path(id))
        .filter((name) => !/^session\.lock\.\d+$/.test(name))
        .sort(),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

export const DAY_MS = 24 * 60 * 60 * 1_000;

/** A valid question. */
export function question(overrides: Partial<QuestionInput> = {}): QuestionInput {
  return {
    prompt: 'Which database?',
    title: 'Database',
    options: [{ label: 'PostgreSQL', description: 'the usual one' }, { label: 'SQLite' }],
    multiSelect: false,
    ...overrides,
  };
}

/** Chooses the first option of each question. */
export function firstOptions(questions: readonly QuestionInput[]) {
  return questions.map((asked, questionIndex) => {
    const label = asked.options[0]?.label ?? '';
    return asked.multiSelect
      ? { questionIndex, selectedOptions: [label] }
      : { questionIndex, selectedOption: label };
  });
}

/** Every path below a directory with type, mode, size and content, to check that nothing was touched. */
export function treeOf(root: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const visit = (path: string, name: string) => {
    const facts = lstatSync(path);
    const kind = facts.isDirectory() ? 'directory' : facts.isFile() ? 'file' : 'other';
    const content = facts.isFile() ? readFileSync(path).toString('base64') : '';
    tree[name] = `${kind} ${(facts.mode & 0o7777).toString(8)} ${content}`;
    if (facts.isDirectory())
      for (const entry of readdirSync(path)) visit(join(path, entry), `${name}/${entry}`);
  };
  visit(root, '.');
  return tree;
}
