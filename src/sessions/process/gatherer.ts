import { type AgentEvent, checkedUsage, plusUsage, type Usage } from '../../agents/index.js';

/** A permission that was refused during an exchange. */
export interface Denial {
  readonly name: string;
  readonly title: string;
  readonly by: string;
}

const MAX_TEXT = 4 * 1024 * 1024;
const MAX_STDERR = 64 * 1024;
const MAX_TOOL_OUTPUT = 1024 * 1024;

/** Gathers the events of one exchange, with limits on how much it keeps. */
export class Gatherer {
  readonly denials: Denial[] = [];
  /** The total of all replies. */
  usage: Usage | null = null;
  end: Extract<AgentEvent, { type: 'turn-end' }> | undefined;
  readonly #text = new BoundedText(MAX_TEXT);
  /** The last chunks as they arrived: a flood of a gigabyte must not become text that nobody reads. */
  readonly #errors: Buffer[] = [];
  #errorBytes = 0;
  readonly #toolOutput = new BoundedText(MAX_TOOL_OUTPUT, 0);

  add(event: AgentEvent): void {
    if (event.type === 'text') this.#text.add(event.text);
    else if (event.type === 'tool-result') this.#toolOutput.add(`${event.output}\n`);
    else if (event.type === 'usage') this.usage = plusUsage(this.usage, checkedUsage(event.usage));
    else if (event.type === 'turn-end') this.end = event;
    else if (event.type === 'permission' && event.decision === 'denied')
      this.denials.push({ name: event.name, title: event.title, by: event.by });
  }

  addError(chunk: Buffer): void {
    this.#errors.push(chunk);
    this.#errorBytes += chunk.length;
    for (let [first] = this.#errors; first !== undefined; [first] = this.#errors) {
      if (this.#errorBytes - first.length < MAX_STDERR) return;
      this.#errors.shift();
      this.#errorBytes -= first.length;
    }
  }

  get text(): string {
    return this.#text.toString();
  }

  get stderr(): string {
    return Buffer.concat(this.#errors).subarray(-MAX_STDERR).toString('utf8');
  }

  /** The most recent output of the agent's tools, which includes its test runs. */
  get toolOutput(): string {
    return this.#toolOutput.toString();
  }
}

/** Text with a beginning and an end of limited length; what is in between is only counted. */
class BoundedText {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head = '';
  #tail = '';
  #left = 0;

  constructor(limit: number, headLimit = limit / 2) {
    this.#headLimit = headLimit;
    this.#tailLimit = limit - headLimit;
  }

  add(text: string): void {
    const room = this.#headLimit - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    this.#tail += room > 0 ? text.slice(room) : text;
    // Cuts now and then, not every time.
    if (this.#tail.length > 2 * this.#tailLimit) this.#cut();
  }

  toString(): string {
    this.#cut();
    return this.#left === 0
      ? this.#head + this.#tail
      : `${this.#head}\n[${this.#left} characters left out]\n${this.#tail}`;
  }

  #cut(): void {
    const over = this.#tail.length - this.#tailLimit;
    if (over <= 0) return;
    this.#left += over;
    this.#tail = this.#tail.slice(over);
  }
}
