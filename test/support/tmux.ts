import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { RequirementId } from '../requirements.js';
import { WAIT_MS } from './deadlines.js';
import { HOLDFAST, type Machine } from './holdfast-binary.js';
import { itNeeds } from './it-needs.js';
import { TmuxClient } from './tmux-client.js';

const execute = promisify(execFile);

/** A test in a real terminal that proves one clause of a requirement. */
export function verifiesInTerminal(
  requirement: RequirementId,
  clause: string,
  prove: () => Promise<void>,
  timeoutMs?: number,
): void {
  itNeeds({ tmux: true }, `${requirement}: ${clause}`, prove, timeoutMs);
}

export interface PaneOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** A variable that is undefined is not set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `sh` leaves a terminal as a killed program left it; the shells people use restore it at the prompt. */
  readonly shell?: 'sh' | 'bash --norc';
}

/** What tmux knows about the terminal besides its text. */
export interface PaneFacts {
  readonly title: string;
  readonly isCursorShown: boolean;
  readonly isAlternate: boolean;
  readonly hasMouse: boolean;
  readonly isWrapping: boolean;
  readonly historyLines: number;
}

/** The server announces what programs draw; anything else is polled this often. */
const POLL_MS = 100;
const PROMPT = 'prompt> ';

/** A real terminal with a shell in it, on its own tmux server. */
export class Pane implements AsyncDisposable {
  readonly #machine: Machine;
  readonly #client: TmuxClient;

  private constructor(machine: Machine, client: TmuxClient) {
    this.#machine = machine;
    this.#client = client;
  }

  static async open(machine: Machine, options: PaneOptions & { name?: string } = {}): Promise<Pane> {
    const name = options.name ?? 'main';
    const config = machine.dir.at(`tmux-${name}.conf`);
    writeFileSync(config, 'set -g status off\nset -g history-limit 5000\nset -g set-titles off\n');
    const size = ['-x', `${options.columns ?? 80}`, '-y', `${options.rows ?? 24}`];
    const session = ['new-session', '-d', ...size, '-c', machine.project, options.shell ?? 'sh'];
    const env = { ...machine.env, ...options.env, TERM: 'xterm-256color' };
    const server = ['-S', machine.dir.at(`tmux-${name}`), '-f', config];
    const pane = new Pane(machine, new TmuxClient([...server, ...session], env));
    await pane.until(/[#$%] *$/m);
    await pane.run(`PS1='${PROMPT}'; clear`);
    await pane.until(([first]) => first === PROMPT.trim());
    return pane;
  }

  /** Presses keys by their tmux names, such as `Enter`, `Down`, `C-c`, `j`. */
  async press(...keys: string[]): Promise<void> {
    await this.#client.ask('send-keys', ...keys);
  }

  /** Types a text literally. */
  async type(text: string): Promise<void> {
    await this.#client.ask('send-keys', '-l', text);
  }

  /** Pastes, in brackets if the program asked for them. */
  async paste(text: string): Promise<void> {
    const file = this.#machine.dir.at('paste.txt');
    writeFileSync(file, text);
    await this.#client.ask('load-buffer', file);
    await this.#client.ask('paste-buffer', '-p', '-r');
  }

  /** Restores a terminal that a killed program left raw; until then Enter does not end a line. */
  async makeSane(): Promise<void> {
    await this.type("stty sane; echo 'sane a''gain'");
    await this.press('C-j');
    await this.until('sane again'); // wherever the cursor was left
  }

  /** Types a line into the shell. */
  async run(line: string): Promise<void> {
    await this.type(line);
    await this.press('Enter');
  }

  /** The shell command line for one of our commands. */
  command(args: string): string {
    return `'${process.execPath}' '${HOLDFAST}' ${args}`;
  }

  /** Starts `holdfast` on an empty screen; its exit code is printed after it. */
  async holdfast(args: string, variables = ''): Promise<void> {
    await this.run('clear');
    await this.until((rows) => rows.join('') === PROMPT.trim());
    await this.run(`${variables} ${this.command(args)}; echo "exit code $?"`);
  }

  /** The exit code of the program that ran last. */
  async exitCode(): Promise<number> {
    const lines = await this.until(/exit code \d+/); // not always on its own line: a resize moves the cursor
    return Number(/exit code (\d+)/.exec(lines.join('\n'))?.[1]);
  }

  /** The rows of the screen, without trailing spaces. */
  async screen(): Promise<string[]> {
    return (await this.#client.ask('capture-pane', '-p')).split('\n');
  }

  /** The screen with its styles. */
  async styled(): Promise<string> {
    return this.#client.ask('capture-pane', '-p', '-e');
  }

  async history(): Promise<string> {
    return this.#client.ask('capture-pane', '-p', '-S', '-');
  }

  /** Waits until the screen shows something, and returns its rows. */
  async until(wanted: string | RegExp | ((rows: string[]) => boolean)): Promise<string[]> {
    const isThere = (rows: string[]) => {
      if (typeof wanted === 'function') return wanted(rows);
      const text = rows.join('\n');
      return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
    };
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const seen = this.#client.drawn;
      const rows = await this.screen();
      if (isThere(rows)) return rows;
      if (performance.now() > deadline) throw new Error(`never seen: ${wanted}\n${rows.join('\n')}`);
      await this.#client.untilDrawn(seen, POLL_MS);
    }
  }

  async facts(): Promise<PaneFacts> {
    const names = [
      'cursor_flag',
      'alternate_on',
      'mouse_any_flag',
      'wrap_flag',
      'history_size',
      'pane_title',
    ];
    const text = await this.#client.ask(
      'display-message',
      '-p',
      names.map((name) => `#{${name}}`).join('\t'),
    );
    const [cursor, alternate, mouse, wrap, history, title] = text.split('\t');
    return {
      title: title ?? '',
      isCursorShown: cursor === '1',
      isAlternate: alternate === '1',
      hasMouse: mouse === '1',
      isWrapping: wrap === '1',
      historyLines: Number(history),
    };
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#client.ask('resize-window', '-x', `${columns}`, '-y', `${rows}`);
  }

  /** Starts recording every byte that programs send to the terminal; the function returns what has come so far. */
  async record(): Promise<() => string> {
    const file = this.#machine.dir.at('recorded');
    writeFileSync(file, '');
    await this.#client.ask('pipe-pane', '-o', `cat >> '${file}'`);
    return () => readFileSync(file, 'latin1');
  }

  /** The device, such as /dev/pts/3. */
  async device(): Promise<string> {
    return (await this.#client.ask('display-message', '-p', '#{pane_tty}')).trim();
  }

  /** The process the shell is currently running. */
  async program(): Promise<number> {
    const shell = (await this.#client.ask('display-message', '-p', '#{pane_pid}')).trim();
    const { stdout } = await execute('ps', ['-A', '-o', 'pid=,ppid=']);
    const child = stdout.split('\n').find((line) => line.trim().split(/\s+/)[1] === shell);
    if (child === undefined) throw new Error('the shell runs nothing');
    return Number(child.trim().split(/\s+/)[0]);
  }

  /** Takes the terminal away from its programs. */
  async hangUp(): Promise<void> {
    await this.#client.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hangUp();
  }
}
