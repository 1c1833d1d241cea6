import { isObject } from '../foundation/index.js';
import { EndsReader, type FileSystem } from '../storage/index.js';

/** More than the records that Claude Code writes after the one that matters. */
const TAIL_BYTES = 64 * 1024;
/** What Claude Code writes as the words of the person who pressed Esc, with or without `for tool use`. */
const INTERRUPTED = /^\[Request interrupted by user/;

/**
 * When the person interrupted the last turn in a transcript of Claude Code; undefined if they did not. No hook reports this.
 * Only what was written after `from` counts; before it is another turn. Throws disk errors.
 */
export function interruptedAt(fileSystem: FileSystem, path: string, from: number): string | undefined {
  const ends = new EndsReader(fileSystem, TAIL_BYTES).read(path);
  if (ends === undefined || ends.dataEnd <= from) return undefined;
  const start = Math.max(0, ends.tail.length - (ends.dataEnd - from));
  const lines = ends.tail.subarray(start).toString().split('\n');
  // After the last line break, a record is still being written.
  const last = lines
    .slice(0, -1)
    .map(spokenIn)
    .findLast((spoken) => spoken !== undefined);
  return last !== undefined && INTERRUPTED.test(last.words) ? last.at : undefined;
}

interface Spoken {
  readonly words: string;
  readonly at: string;
}

/** What was said in a record of the conversation; undefined for every other record, and for one that is cut. */
function spokenIn(line: string): Spoken | undefined {
  if (!line.includes('"message"')) return undefined;
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(entry) || (entry.type !== 'user' && entry.type !== 'assistant')) return undefined;
  if (entry.isSidechain === true || typeof entry.timestamp !== 'string') return undefined;
  return { words: entry.type === 'user' ? wordsOf(entry.message) : '', at: entry.timestamp };
}

function wordsOf(message: unknown): string {
  const content = isObject(message) ? message.content : undefined;
  if (typeof content === 'string') return content;
  const [first] = Array.isArray(content) ? content : [];
  return isObject(first) && typeof first.text === 'string' ? first.text : '';
}
