import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endAll } from './processes.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** The built program; `npm test` builds first. HOLDFAST_TEST_DIST names another build, such as an installed one. */
export const DIST = process.env.HOLDFAST_TEST_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
export const HOLDFAST = join(DIST, 'cli', 'holdfast.cjs');
export const RALPHTOOL = join(DIST, 'cli', 'ralphtool.cjs');
export const AUR = join(DIST, 'cli', 'aur.cjs');

/** Where the programs cache the code V8 compiled. */
const CODE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/holdfast-code', import.meta.url));

export interface Outcome {
  /** The exit code, or null after a signal. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** What is piped in; if absent, standard input is closed. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Which program of the package; `holdfast` if absent. */
  readonly program?: 'aur' | 'ralphtool';
  /** Uses a build other than ours. */
  readonly dist?: string;
  /** The test is about the process: its start, its descriptors, what it leaves behind. */
  readonly isProcess?: boolean;
}

export type AsideOptions = Pick<RunOptions, 'input' | 'cwd' | 'env' | 'program'>;

/** A separate machine for the program: home, data, project and temporary directory. */
export interface Machine extends AsyncDisposable {
  readonly dir: TempDir;
  readonly env: Readonly<Record<string, string>>;
  /** The project that commands run in. */
  readonly project: string;
  /** Where question sets are. */
  readonly questions: string;
  /** Runs a command to its end: in this process if that makes no difference; see `needsProcess`. */
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Runs a command with --json and parses its output. */
  json(args: readonly string[], options?: RunOptions): Promise<{ code: number | null; data: Json }>;
  /** As `run` and `json`, always in this process: for what a test needs done but is not about. */
  aside(args: readonly string[], options?: AsideOptions): Promise<Outcome>;
  asideJson(args: readonly string[], options?: AsideOptions): Promise<{ code: number | null; data: Json }>;
  /** Starts a command; if it is still running at the end of the block, it is killed. */
  start(args: readonly string[], options?: RunOptions): Running;
  /** Writes config.json. */
  configure(settings: unknown): void;
  ids(): string[];
  readFile(id: string, file: string): Json;
}

// biome-ignore lint/suspicious/noExplicitAny: what a program prints is looked at, not typed
export type Json = any;

/** A command that is running. */
export class Running {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Outcome>;
  readonly #listeners = new Set<() => void>();

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#tell();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#tell();
    });
    // A program that ends early closes its input; writing to it afterwards is not what a test is about.
    child.stdin.on('error', () => {});
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
        this.#tell();
      });
    });
  }

  /** Resolves with the first match in past or future output; rejects if the program ends without one. */
  async printed(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this[stream]);
      if (match !== null) return match;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        await this.ended;
        const last = pattern.exec(this[stream]);
        if (last !== null) return last;
        throw new Error(`ended without ${pattern}: ${this.stdout}${this.stderr}`);
      }
      await new Promise<void>((resolve) => {
        const listener = () => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export async function machine(options: { readonly path?: string } = {}): Promise<Machine> {
  const dir = await tempDir();
  const [home, own, temporary, project] = ['home', 'holdfast home', 'tmp', 'projéct 1'].map((name) =>
    dir.at(name),
  );
  if (!home || !own || !temporary || !project) throw new Error('unreachable');
  for (const path of [home, temporary, project]) mkdirSync(path, { mode: 0o700 });
  const env = {
    PATH: options.path ?? process.env.PATH ?? '',
    // Shared, so that a test's commands start like a user's second command and leave nothing beside their sessions.
    HOLDFAST_CODE_CACHE: CODE_CACHE,
    HOME: home,
    TMPDIR: temporary,
    HOLDFAST_HOME: own,
    LANG: 'C.UTF-8',
  };
  const running = new Set<Running>();
  const start = (args: readonly string[], options: RunOptions = {}) => {
    const program = join(options.dist ?? DIST, 'cli', `${options.program ?? 'holdfast'}.cjs`);
    const child = spawn(process.execPath, [program, ...args], {
      cwd: options.cwd ?? project,
      env: withoutUndefined({ ...env, ...options.env }),
    });
    const started = new Running(child);
    running.add(started);
    void started.ended.finally(() => running.delete(started));
    return started;
  };
  const run = (args: readonly string[], options: RunOptions = {}) => {
    if (!needsProcess(args, options, env)) return aside(args, options);
    const started = start(args, options);
    started.child.stdin.end(options.input ?? '');
    return started.ended;
  };
  const aside = async (args: readonly string[], options: AsideOptions = {}) => {
    // Some tests start only programs and need not load all our code.
    const { PROGRAMS, runHere } = await import('./run-here.js');
    const outcome = await runHere(args, {
      program: PROGRAMS[options.program ?? 'holdfast'],
      input: options.input ?? '',
      environment: withoutUndefined({ ...env, ...options.env }),
      workingDirectory: options.cwd ?? project,
      self: { command: process.execPath, args: [HOLDFAST] },
    });
    return { ...outcome, signal: null };
  };
  const questions = join(own, 'data', 'questions');
  return {
    dir,
    env,
    project,
    questions,
    start,
    run,
    aside,
    json: async (args, options) => parsed(args, await run([...args, '--json'], options)),
    asideJson: async (args, options) => parsed(args, await aside([...args, '--json'], options)),
    configure(settings) {
      mkdirSync(join(own, 'config'), { recursive: true, mode: 0o700 });
      const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
      writeFileSync(join(own, 'config', 'config.json'), text);
    },
    ids: () => readdirSync(questions).filter((name) => !name.startsWith('.')),
    readFile: (id, file) => JSON.parse(readFileSync(join(questions, id, file), 'utf8')),
    async [Symbol.asyncDispose]() {
      const ends = [...running].map((one) => {
        one.child.kill('SIGKILL');
        return one.ended;
      });
      await Promise.all(ends);
      // Whatever they had started, such as an agent that hangs on purpose.
      await endAll(dir.path);
      await dir[Symbol.asyncDispose]();
    },
  };
}

/**
 * Whether the built program runs a command line. What a command reads, writes, says and returns is the same in the
 * test's own process, with the same files, agents and environment. The exceptions are what the small entry answers on
 * its own, what reads the real standard input, and what is about Node. Only scenarios skip the program;
 * HOLDFAST_TEST_BINARIES=1 starts a process for each of theirs too (vitest.config.ts).
 */
function needsProcess(
  args: readonly string[],
  { dist, isProcess = false, env = {} }: RunOptions,
  usual: Readonly<Record<string, string>>,
): boolean {
  if (process.env.HOLDFAST_TEST_BINARIES !== '0' || process.env.HOLDFAST_TEST_DIST !== undefined) return true;
  if (isProcess || dist !== undefined) return true;
  if (args.length < 2 && ENTRY_ANSWERS.includes(args[0])) return true;
  if (ABOUT_THE_PROCESS.includes(args[0]) || args.includes('--plain')) return true;
  return Object.entries(env).some(([name, value]) => ABOUT_NODE.test(name) && value !== usual[name]);
}

const ENTRY_ANSWERS = [undefined, '--version', '-V', '--help', '-h', 'help'];
/** A hook always exits with 0, which the entry ensures; an MCP server and --plain use the process's own streams. */
const ABOUT_THE_PROCESS: readonly (string | undefined)[] = ['hook', 'mcp'];
const ABOUT_NODE = /^NODE_|^HOLDFAST_CODE_CACHE$/;

function parsed(args: readonly string[], { code, stdout, stderr }: Outcome) {
  try {
    return { code, data: JSON.parse(stdout) };
  } catch {
    throw new Error(`no JSON from ${args.join(' ')}: ${stdout}${stderr}`);
  }
}

function withoutUndefined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
