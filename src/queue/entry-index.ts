import { createHash } from 'node:crypto';
import type { Entry } from './schema.js';

/** How a file looks without being read: each write of it, and each that takes its place, makes it look other. */
export interface FileLook {
  readonly inode: number;
  readonly size: number;
  readonly changedMs: number;
}

/** An entry as it was read, and how its file looked just before. */
export interface KnownEntry extends FileLook {
  readonly entry: Entry;
}

/** Another one whenever the index or `EntryRecord` means anything else: what an older version kept is not taken. */
const FORMAT = 1;

/** What differs from entry to entry. The rest is the same for hundreds of them, and is written once. */
const OWN_KEYS = ['plan', 'position', 'addedAt', 'runId', 'startedAt', 'endedAt', 'worktree'] as const;
type Own = Partial<Pick<Entry, (typeof OWN_KEYS)[number]>>;
const NO_OWN = Object.fromEntries(OWN_KEYS.map((key) => [key, null]));

type Row = readonly [id: string, inode: number, size: number, changedMs: number, like: number, own: Own];

interface Body {
  /** Whole entries; what is a row's own takes its place in them. */
  readonly alike: readonly Entry[];
  readonly rows: readonly Row[];
}

/** What is known of entries, by their ids, as one file: its first line proves that the rest is whole. */
export function formatIndex(known: ReadonlyMap<string, KnownEntry>): string {
  const alike = new Map<string, number>();
  const rows = [...known].map(([id, { inode, size, changedMs, entry }]): Row => {
    const own: Own = Object.fromEntries(
      OWN_KEYS.filter((key) => entry[key] !== null).map((key) => [key, entry[key]]),
    );
    const rest = JSON.stringify({ ...entry, ...NO_OWN, id: '' });
    const like = alike.get(rest) ?? alike.size;
    alike.set(rest, like);
    return [id, inode, size, changedMs, like, own];
  });
  const body = `{"alike":[${[...alike.keys()].join(',')}],"rows":${JSON.stringify(rows)}}`;
  return `${headOf(Buffer.from(body))}\n${body}`;
}

/** What an index says; undefined for what is not one of ours, or not whole. */
export function parseIndex(bytes: Buffer): Map<string, KnownEntry> | undefined {
  const end = bytes.indexOf('\n');
  const body = bytes.subarray(end + 1);
  if (end < 0 || bytes.toString('latin1', 0, end) !== headOf(body)) return undefined;
  const { alike, rows } = JSON.parse(body.toString()) as Body;
  const known = new Map<string, KnownEntry>();
  for (const [id, inode, size, changedMs, like, own] of rows)
    known.set(id, { inode, size, changedMs, entry: { ...(alike[like] as Entry), ...own, id } });
  return known;
}

function headOf(body: Buffer): string {
  return `holdfast-queue-index ${FORMAT} ${createHash('sha256').update(body).digest('hex')}`;
}
