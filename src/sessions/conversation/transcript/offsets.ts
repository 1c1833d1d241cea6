import type { LogEntry, SealedLine } from '../../../storage/index.js';
import { fromDisk } from '../schema.js';
import type { FileConversationStore } from '../store.js';

/** A place in a file where reading can begin. */
export interface Mark {
  readonly offset: number;
  readonly line: number;
  /** The number of the last turn before it. */
  readonly turns: number;
}

/** One place is kept per this many records; the number doubles whenever there are too many places. */
const RECORDS = 16;
const MAX_MARKS = 4096;
/** How much is read before other work gets its turn. */
const BLOCK_BYTES = 16 * 1024 * 1024;
const START: Mark = { offset: 0, line: 1, turns: 0 };

/**
 * The positions of the turns in one file: a few places, found by reading no further than needed. Derived from the file
 * alone and kept in memory; when a file grows, reading continues where it stopped.
 */
export class Offsets {
  readonly #store: FileConversationStore;
  readonly #id: string;
  #marks: Mark[] = [START];
  #each = RECORDS;
  #since = 0;
  #reached = START;
  #reading: Promise<void> | undefined;

  constructor(store: FileConversationStore, id: string) {
    this.#store = store;
    this.#id = id;
  }

  /** How far the file has been read. */
  get reached(): Mark {
    return this.#reached;
  }

  get marks(): readonly Mark[] {
    return this.#marks;
  }

  /** The last known place that satisfies this, after reading as far as needed to tell. */
  async lastWhere(isBefore: (mark: Mark) => boolean): Promise<Mark> {
    while (isBefore(this.#reached) && (await this.#readOn()));
    return this.#marks[this.#marks.findLastIndex(isBefore)] ?? START;
  }

  /** Reads another block; false at the end of the file. */
  async #readOn(): Promise<boolean> {
    const before = this.#reached.offset;
    this.#reading ??= this.#readBlocks().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    return this.#reached.offset > before;
  }

  /** Reads one block, or more if a record does not fit into it. */
  async #readBlocks(): Promise<void> {
    const size = this.#store.size(this.#id);
    const { offset } = this.#reached;
    for (let bytes = BLOCK_BYTES; this.#reached.offset === offset; bytes *= 2) {
      this.#readBlock(Math.min(size, offset + bytes));
      if (offset + bytes >= size) break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  #readBlock(end: number): void {
    let { line, turns } = this.#reached;
    const { offset } = this.#reached;
    const first = line - 1;
    let passed = 0;
    const passOver = (buffer: Buffer, from: number) => {
      const isTurn = isTurnLine(buffer, from);
      // A turn whose place is due to be kept is not passed over.
      if (isTurn && this.#since >= this.#each) return false;
      this.#since += 1;
      if (isTurn) turns += 1;
      passed += 1;
      return true;
    };
    let isTold = false;
    for (const found of this.#store.checkPart(this.#id, { start: offset, end, passOver })) {
      if (found.kind === 'damage') {
        line = first + found.line + 1;
        passed = 0;
        continue;
      }
      if (found.kind === 'tail') {
        this.#reached = { offset: found.offset, line: first + found.line, turns };
        isTold = true;
        break;
      }
      const number = turnNumberOf(found, turns);
      const mark = { offset: found.offset, line: first + found.line, turns: number - 1 };
      if (this.#since >= this.#each && number > turns) this.#keep(mark);
      else this.#since += 1;
      turns = Math.max(turns, number);
      line = mark.line + 1;
      passed = 0;
    }
    // The block ended with a line, so whatever was passed over after the last parsed line belongs to it.
    if (!isTold) this.#reached = { offset: end, line: line + passed, turns };
  }

  #keep(mark: Mark): void {
    if (mark.offset <= (this.#marks.at(-1)?.offset ?? 0)) return;
    this.#since = 0;
    this.#marks.push(mark);
    if (this.#marks.length <= MAX_MARKS) return;
    this.#marks = this.#marks.filter((_, index) => index % 2 === 0);
    this.#each *= 2;
  }
}

/** `{"type":"turn",` and not `{"type":"turn_failed",`. */
const TURN = Buffer.from('{"type":"turn",');

function isTurnLine(buffer: Buffer, from: number): boolean {
  return TURN.every((byte, index) => buffer[from + index] === byte);
}

const NUMBER = /"turn":(\d{1,9})(?:,"working_directory":"(?:[^"\\]|\\.)*")?,"seq":\d+,"crc":"[0-9a-f]{8}"\}$/;
const END_BYTES = 512;

/** The number of a turn; for anything else, that of the last turn before it. */
function turnNumberOf(found: SealedLine | LogEntry, turns: number): number {
  if (found.kind === 'sealed') {
    if (!isTurnLine(found.bytes, 0)) return turns;
    const told = NUMBER.exec(found.bytes.subarray(-END_BYTES).toString('latin1'))?.[1];
    if (told !== undefined) return Number(told);
  }
  const record = fromDisk(found.kind === 'sealed' ? JSON.parse(found.bytes.toString('utf8')) : found.value);
  if (record === null || typeof record === 'string' || record.type !== 'turn') return turns;
  return record.turn ?? turns + 1;
}
