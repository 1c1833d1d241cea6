import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/**
 * One client of a tmux server for as long as a terminal is open. It uses tmux's control mode: a process for each look
 * at the screen would cost more than the program being watched, and the server announces whenever something was drawn,
 * so no look is wasted.
 */
export class TmuxClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  readonly #asked: { resolve(text: string): void; reject(error: Error): void }[] = [];
  readonly #waiting = new Set<() => void>();
  /** Commands given before the client was attached to its session; without one a command has no target. */
  #early: string[] | undefined = [];
  #complaints = '';
  #rest = '';
  #answer: { end: string; error: string; isOurs: boolean; lines: string[] } | undefined;
  /** How often something has been drawn. */
  drawn = 0;

  /** `args` end with the command that creates the session. */
  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn('tmux', ['-u', '-C', ...args, ';', 'attach-session'], { env });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaints += text;
    });
    this.#child.stdin.on('error', () => {}); // reported by the command sent last
    this.#ended = new Promise((resolve) => {
      const end = (reason: string) => {
        for (const { reject } of this.#asked.splice(0)) reject(new Error(`tmux: ${reason}`));
        resolve();
      };
      this.#child.on('error', (error) => end(error.message));
      this.#child.on('close', () => end(this.#complaints || 'the server is gone'));
    });
  }

  /** Runs a command of tmux and returns what it prints. */
  ask(...words: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        reject(new Error(`tmux: ${this.#complaints || 'the server is gone'}`));
        return;
      }
      this.#asked.push({ resolve, reject });
      const line = `${words.map(quoted).join(' ')}\n`;
      if (this.#early === undefined) this.#child.stdin.write(line);
      else this.#early.push(line);
    });
  }

  /** Resolves when something is drawn that `seen` does not count yet, or after a while. */
  async untilDrawn(seen: number, patienceMs: number): Promise<void> {
    if (this.drawn !== seen) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => go(), patienceMs);
      const go = () => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        resolve();
      };
      this.#waiting.add(go);
    });
  }

  /** Ends the server and everything in it. */
  async end(): Promise<void> {
    await this.ask('kill-server').catch(() => {}); // it may not live to answer
    await this.#ended;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    const answer = this.#answer;
    if (answer !== undefined && (line === answer.end || line === answer.error)) {
      this.#answer = undefined;
      if (!answer.isOurs) return;
      const asked = this.#asked.shift();
      if (line === answer.end) asked?.resolve(answer.lines.join('\n'));
      else asked?.reject(new Error(`tmux: ${answer.lines.join('\n')}`));
    } else if (answer !== undefined) answer.lines.push(line);
    else if (line.startsWith('%begin ')) {
      const mark = line.slice('%begin '.length);
      // The last word is 1 for our commands, but not for the one we were started with.
      this.#answer = { end: `%end ${mark}`, error: `%error ${mark}`, isOurs: mark.endsWith(' 1'), lines: [] };
    } else if (line.startsWith('%session-changed ')) {
      const early = this.#early?.join('') ?? '';
      this.#early = undefined;
      if (early !== '') this.#child.stdin.write(early);
    } else if (line.startsWith('%output ') || line.startsWith('%layout-change ')) {
      this.drawn += 1;
      for (const go of [...this.#waiting]) go();
    }
  }
}

/** A word quoted for tmux; a line break ends a command, so a word cannot contain one. */
function quoted(word: string): string {
  if (word.includes('\n')) throw new Error(`a line break cannot be said to tmux: ${JSON.stringify(word)}`);
  return `'${word.replaceAll("'", "'\\''")}'`;
}
