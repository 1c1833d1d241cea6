/** One event of a stream: its name and its data, as text. */
export interface SseEvent {
  readonly name: string;
  readonly data: string;
}

/** Joins the pieces of a `text/event-stream` into events. Comments, ids and retry times are ignored. */
export class SseParser {
  #rest = '';
  #name = '';
  #data: string[] = [];

  /** Returns the events that are now complete. */
  push(piece: string): SseEvent[] {
    const text = this.#rest + piece;
    // A carriage return at the very end may be half of a line break.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? '') + text.slice(end);
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): SseEvent[] {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    if (field === 'data') this.#data.push(value);
    return [];
  }

  #dispatch(): SseEvent[] {
    const [name, data] = [this.#name, this.#data];
    this.#name = '';
    this.#data = [];
    return data.length === 0 ? [] : [{ name: name === '' ? 'message' : name, data: data.join('\n') }];
  }
}
