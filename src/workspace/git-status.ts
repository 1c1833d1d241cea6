import type { Content } from './snapshot.js';

/** One entry of `git status`: a path that differs from what is committed. */
export interface StatusEntry {
  readonly path: Buffer;
  readonly isUntracked: boolean;
  /** In HEAD; undefined if HEAD has no such file. */
  readonly committed: Content | undefined;
  /** The content that git knows is on disk, because it is what the index holds. */
  readonly staged: Content | undefined;
  /** The id in the index that the bytes on disk differ from. */
  readonly differsFrom: string | undefined;
  /** What is on disk, as git sees it; undefined for an untracked file. */
  readonly kind: Content['kind'] | undefined;
  /** In the index, but not on disk. */
  readonly isMissing: boolean;
}

/** The output of `git status --porcelain=v2 -z --branch`. */
export interface GitStatus {
  readonly head: string | undefined;
  readonly branch: string | undefined;
  readonly entries: readonly StatusEntry[];
  /** Repositories inside this one that it does not know. */
  readonly nested: readonly Buffer[];
}

/** Reads the machine-readable status. Unknown kinds of lines are skipped, as git asks. */
export function parseStatus(output: Buffer): GitStatus {
  const entries: StatusEntry[] = [];
  const nested: Buffer[] = [];
  let head: string | undefined;
  let branch: string | undefined;
  for (const record of splitAtNul(output)) {
    const type = String.fromCharCode(record[0] ?? 0);
    if (type === '#') {
      const [, name, value] = record.toString('utf8').split(' ');
      if (name === 'branch.oid' && value !== '(initial)') head = value;
      if (name === 'branch.head' && value !== '(detached)') branch = value;
    } else if (type === '?' && record.at(-1) === SLASH) nested.push(record.subarray(2, -1));
    else if (type === '?') entries.push(untracked(record.subarray(2)));
    else if (type === '1') entries.push(changed(record));
    else if (type === 'u') entries.push(unmerged(record));
  }
  return { head, branch, entries, nested };
}

const SLASH = 0x2f;
const SPACE = 0x20;

function untracked(path: Buffer): StatusEntry {
  return {
    path,
    isUntracked: true,
    committed: undefined,
    staged: undefined,
    differsFrom: undefined,
    kind: undefined,
    isMissing: false,
  };
}

/** `1 <XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>` */
function changed(record: Buffer): StatusEntry {
  const { fields, path } = cut(record, 8);
  const [, states = '..', , headMode = '', indexMode = '', diskMode = '', headId = '', indexId = ''] = fields;
  const onDisk = states[1];
  return {
    path,
    isUntracked: false,
    committed: contentOf(headMode, headId),
    staged: onDisk === '.' ? contentOf(indexMode, indexId) : undefined,
    differsFrom: onDisk === 'M' && indexMode === diskMode ? indexId : undefined,
    kind: KINDS[diskMode],
    isMissing: onDisk === 'D',
  };
}

/** `u <XY> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>`; the second stage is our side. */
function unmerged(record: Buffer): StatusEntry {
  const { fields, path } = cut(record, 10);
  const [, , , , ourMode = '', , diskMode = '', , ourId = ''] = fields;
  return {
    path,
    isUntracked: false,
    committed: contentOf(ourMode, ourId),
    staged: undefined,
    differsFrom: undefined,
    kind: KINDS[diskMode],
    isMissing: diskMode === ABSENT,
  };
}

const ABSENT = '000000';
const KINDS: Readonly<Record<string, Content['kind']>> = {
  '100644': 'file',
  '100664': 'file',
  '100755': 'executable',
  '120000': 'link',
};

/** A file as git stores it; undefined if its mode says that there is none. */
export function contentOf(mode: string, blob: string): Content | undefined {
  return mode === ABSENT ? undefined : { kind: KINDS[mode] ?? 'other', blob };
}

function cut(record: Buffer, count: number): { fields: string[]; path: Buffer } {
  let at = 0;
  for (let field = 0; field < count; field++) at = record.indexOf(SPACE, at) + 1;
  return { fields: record.toString('latin1', 0, at - 1).split(' '), path: record.subarray(at) };
}

/** The parts of a `-z` output. */
export function splitAtNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, from)) {
    parts.push(output.subarray(from, end));
    from = end + 1;
  }
  if (from < output.length) parts.push(output.subarray(from));
  return parts;
}
