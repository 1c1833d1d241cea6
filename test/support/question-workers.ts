import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type {
  AnswerInput,
  CreateQuestionOptions,
  QuestionInput,
  QuestionOutcome,
} from '../../src/sessions/question/index.js';
import { bundled } from './bundled.js';
import type { KillPlan } from './deadly-file-system.js';
import { type TempDir, tempDir } from './temp-dir.js';

export type { KillPlan };

export interface WorkerPlace {
  readonly directory: string;
  readonly trash: string;
  readonly maxSessions?: number;
  readonly retentionMs?: number;
  readonly kill?: KillPlan;
}

export type Act =
  | {
      readonly name: 'create';
      readonly questions: readonly QuestionInput[];
      readonly options?: CreateQuestionOptions;
    }
  | { readonly name: 'answer'; readonly id: string; readonly answers: readonly AnswerInput[] }
  | { readonly name: 'reject'; readonly id: string; readonly reason: string | null }
  | { readonly name: 'cancel' | 'expire' | 'collect' | 'note asker'; readonly id: string }
  | { readonly name: 'wait'; readonly id: string; readonly patienceMs: number }
  | { readonly name: 'clean'; readonly olderThanMs: number }
  /** Runs until it is killed; starts with these pending sets. */
  | { readonly name: 'churn'; readonly seed: number; readonly ids: readonly string[] }
  | { readonly name: 'inspect' };

export interface WorkerOrder {
  readonly place: WorkerPlace;
  readonly act: Act;
  /** The wall-clock time at which all workers of a race begin. */
  readonly startAt?: number;
}

/** What a worker reports. */
export type Told =
  | { readonly kind: 'ready' }
  /** An outcome was handed over, but is not confirmed yet. */
  | { readonly kind: 'delivered'; readonly outcome: QuestionOutcome; readonly isNew: boolean }
  /** Something is about to be done, or was done. */
  | {
      readonly kind: 'deed';
      readonly id: string;
      readonly deed: 'created' | 'answering' | 'answered' | 'rejecting' | 'rejected';
      readonly text?: string;
    }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly outcome?: unknown };

/** How an order ended: done, failed, or the worker is dead. */
export type Ending = Extract<Told, { kind: 'done' | 'failed' }> | { readonly kind: 'killed' };

/** Processes that work on question sessions. They stay alive between orders, unless an order kills them. */
export interface Workers extends AsyncDisposable {
  start(): Worker;
}

export interface Worker {
  readonly pid: number;
  /** Gives an order and waits for it to end. `onTold` receives the reports on the way. */
  order(order: WorkerOrder, onTold?: (told: Told) => void): Promise<Ending>;
  kill(): void;
  readonly isDead: boolean;
}

export async function questionWorkers(): Promise<Workers> {
  const program = await bundled(new URL('question-worker.ts', import.meta.url));
  const children = new Set<ChildProcess>();
  return {
    start: () => startWorker(program, children),
    async [Symbol.asyncDispose]() {
      const ends = [...children].map((child) => {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        return ended;
      });
      await Promise.all(ends);
    },
  };
}

function startWorker(program: string, children: Set<ChildProcess>): Worker {
  const child = fork(program, [], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    // Not the options of the test runner.
    execArgv: [],
  });
  children.add(child);
  let isDead = false;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      isDead = true;
      children.delete(child);
      resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    get isDead() {
      return isDead;
    },
    kill: () => void child.kill('SIGKILL'),
    order(order, onTold) {
      return new Promise((resolve) => {
        const onMessage = (told: Told) => {
          if (told.kind !== 'done' && told.kind !== 'failed') {
            onTold?.(told);
            return;
          }
          child.off('message', onMessage);
          resolve(told);
        };
        child.on('message', onMessage);
        void exited.then(() => resolve({ kind: 'killed' }));
        // A dead worker cannot be given an order; its end is what counts.
        child.send(order, () => {});
      });
    },
  };
}

/** A directory for question sets that workers share. */
export interface WorkerWorld extends AsyncDisposable {
  readonly dir: TempDir;
  readonly place: WorkerPlace;
}

export async function workerWorld(overrides: Partial<WorkerPlace> = {}): Promise<WorkerWorld> {
  const dir = await tempDir();
  mkdirSync(dir.at('data'), { mode: 0o700 });
  return {
    dir,
    place: { directory: dir.at('data', 'questions'), trash: dir.at('data', 'trash'), ...overrides },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
