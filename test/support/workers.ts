import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundled } from './bundled.js';
import type { Handlers, Message } from './worker-side.js';

/** A separate process that answers typed requests; it dies at the end of its block. */
export class WorkerProcess<Calls extends Handlers, Note = unknown> implements AsyncDisposable {
  readonly pid: number;
  /** How it ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #onNote: ((note: Note) => void)[] = [];
  #nextId = 1;

  constructor(child: ChildProcess) {
    if (child.pid === undefined) throw new Error('the worker did not start');
    this.pid = child.pid;
    this.#child = child;
    this.ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
    child.on('message', (message) => this.#receive(message as Message));
    child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new WorkerGoneError(code, signal));
      this.#waiting.clear();
    });
  }

  /** Calls a handler. Rejects with what the worker threw, or with WorkerGoneError. */
  call<Name extends keyof Calls & string>(
    name: Name,
    ...input: Parameters<Calls[Name]>
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.send({ kind: 'request', id, name, input: input[0] } satisfies Message, (error) => {
        if (error !== null && this.#waiting.delete(id)) reject(new WorkerGoneError(null, null));
      });
    });
  }

  /** Listens to the worker's unsolicited notes. */
  onNote(listen: (note: Note) => void): void {
    this.#onNote.push(listen);
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.ended;
  }

  #receive(message: Message): void {
    if (message.kind === 'note') {
      for (const listen of this.#onNote) listen(message.note as Note);
      return;
    }
    if (message.kind !== 'response') return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.output);
    else waiting?.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
  }
}

/** The worker ended before it answered. */
export class WorkerGoneError extends Error {
  constructor(code: number | null, signal: NodeJS.Signals | null) {
    super(`the worker ended (code ${code}, signal ${signal})`);
  }
}

export interface StartOptions {
  /** A program to run node with, such as `unshare --pid --fork`. */
  readonly wrap?: readonly string[];
}

/** Starts a worker from its TypeScript file. */
export async function startWorker<Calls extends Handlers, Note = unknown>(
  file: URL,
  options: StartOptions = {},
): Promise<WorkerProcess<Calls, Note>> {
  const program = await bundled(file);
  const env = { ...process.env, NODE_OPTIONS: '' };
  const [command, ...parameters] = options.wrap ?? [];
  const child =
    command === undefined
      ? fork(program, [], { env, execArgv: [] })
      : spawn(command, [...parameters, process.execPath, program], {
          env,
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        });
  const worker = new WorkerProcess<Calls, Note>(child);
  const died = worker.ended.then(({ code, signal }) => Promise.reject(new WorkerGoneError(code, signal)));
  await Promise.race([once(child, 'message'), died]);
  return worker;
}

/** Several at once. */
export function startWorkers<Calls extends Handlers, Note = unknown>(
  count: number,
  file: URL,
  options: StartOptions = {},
): Promise<WorkerProcess<Calls, Note>[]> {
  return Promise.all(Array.from({ length: count }, () => startWorker<Calls, Note>(file, options)));
}
