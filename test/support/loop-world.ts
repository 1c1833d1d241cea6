import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IterationOutcome, Measurement } from '../../src/sessions/loop/index.js';
import { LoopSessions, type LoopSessionsOptions } from '../../src/sessions/loop/index.js';
import type { FileSystem, LockTools } from '../../src/storage/index.js';
import { FakeClock } from './fake-clock.js';
import { RecordingLog } from './recording-log.js';
import { storageTools } from './storage-tools.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** The loop of its own project, over real files and a clock that the test moves. */
export interface LoopWorld extends AsyncDisposable {
  readonly dir: TempDir;
  readonly project: string;
  /** The `.prp-session` directory. */
  readonly directory: string;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly loops: LoopSessions;
  /** The same project through another instance, as another process would see it. */
  other(overrides?: Partial<LoopSessionsOptions>): LoopSessions;
  path(...segments: string[]): string;
  read(file: string): Record<string, unknown>;
  text(file: string): string;
  write(file: string, content: unknown): void;
  /** The names in the directory, without lock records. */
  files(): string[];
}

export const PLAN = 'docs/prps/login.md';

export async function loopWorld(
  options: Partial<LoopSessionsOptions> & { fileSystem?: FileSystem } = {},
): Promise<LoopWorld> {
  const dir = await tempDir();
  const project = dir.at('project');
  const directory = dir.at('project', '.prp-session');
  mkdirSync(dir.at('project', 'docs', 'prps'), { recursive: true, mode: 0o700 });
  writeFileSync(dir.at('project', PLAN), '# Login\n\n### Success Criteria\n\n- [ ] one\n- [ ] two\n');
  const clock = new FakeClock({ autoAdvance: true });
  const log = new RecordingLog();
  const other = (overrides: Partial<LoopSessionsOptions> = {}) => {
    const tools: LockTools = storageTools({ clock, log, ...options, ...overrides });
    return new LoopSessions({ ...tools, directory, ...options, ...overrides });
  };
  const path = (...segments: string[]) => dir.at('project', '.prp-session', ...segments);
  return {
    dir,
    project,
    directory,
    clock,
    log,
    loops: other(),
    other,
    path,
    text: (file) => readFileSync(path(file), 'utf8'),
    read: (file) => JSON.parse(readFileSync(path(file), 'utf8')),
    write(file, content) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
      writeFileSync(path(file), text, { mode: 0o600 });
    },
    files: () =>
      readdirSync(directory)
        .filter((name) => !/\.lock\.\d+$/.test(name))
        .sort(),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** A measurement: ten tests, this many of them passing. */
export function measured(passing: number, overrides: Partial<Measurement> = {}): Measurement {
  const total = overrides.tests?.total ?? 10;
  return {
    exitCode: passing === total ? 0 : 1,
    tests: { total, passing, failing: total - passing, skipped: 0 },
    hasTreeChanged: true,
    files: { created: 1, modified: 1, deleted: 0 },
    documents: { total: 0, decisionRecords: 0 },
    ...overrides,
  };
}

/** An iteration that was answered. */
export function outcome(overrides: Partial<IterationOutcome> = {}): IterationOutcome {
  return { run: 'answered', measured: measured(0), claim: { metrics: {} }, ...overrides };
}

/** The same, with the agent claiming to be done. */
export function done(measurement: Measurement, overrides: Partial<IterationOutcome> = {}): IterationOutcome {
  return outcome({ measured: measurement, claim: { metrics: {}, exitSignal: true }, ...overrides });
}
