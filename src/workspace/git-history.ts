import { askGit, type GitTools } from './git.js';
import { contentOf, splitAtNul } from './git-status.js';
import { nameOf } from './path-bytes.js';
import type { Content, RepositoryState } from './snapshot.js';

/** A commit, with the parts that we report. */
export interface Commit {
  readonly id: string;
  /** The first line of its message: foreign text. */
  readonly subject: string;
}

/** A file in two commits. */
export interface CommittedChange {
  readonly before: Content | undefined;
  readonly after: Content | undefined;
}

/** If there are more new commits than this, they are not all reported. */
export const MAX_COMMITS = 1_000;

/** How the committed files of two commits differ, by path; `undefined` means the state before the first commit. */
export async function compareCommits(
  tools: GitTools,
  top: string,
  before: string | undefined,
  after: string | undefined,
): Promise<Map<string, CommittedChange>> {
  const changes = new Map<string, CommittedChange>();
  if (before === after) return changes;
  const nothing = EMPTY_TREES[(before ?? after)?.length ?? 40] ?? '';
  const output = await askGit(tools, top, [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    '--ignore-submodules=all',
    before ?? nothing,
    after ?? nothing,
    '--',
  ]);
  const parts = splitAtNul(output);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [modeBefore = '', modeAfter = '', idBefore = '', idAfter = ''] = String(parts[at])
      .slice(1)
      .split(' ');
    const path = nameOf(parts[at + 1] ?? Buffer.alloc(0));
    changes.set(path, { before: contentOf(modeBefore, idBefore), after: contentOf(modeAfter, idAfter) });
  }
  return changes;
}

/** The id of the empty tree, by the length of an id. git knows it in every repository. */
export const EMPTY_TREES: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

/**
 * The commits that no branch had before, oldest first: made here, rebased, or fetched and merged. In a repository that
 * was not there before, commits that its remote has are not new.
 */
export async function findNewCommits(
  tools: GitTools,
  top: string,
  before: RepositoryState | undefined,
  after: RepositoryState,
): Promise<Commit[]> {
  const known = new Set(tipsOf(before));
  const added = tipsOf(after).filter((id) => !known.has(id));
  if (added.length === 0) return [];
  const output = await askGit(tools, top, [
    'log',
    '-z',
    '--ignore-missing',
    '--encoding=UTF-8',
    '--no-color',
    '--no-decorate',
    '--topo-order',
    '--reverse',
    `--max-count=${MAX_COMMITS + 1}`,
    '--format=%H %s',
    ...added,
    '--not',
    ...(before === undefined ? ['--remotes'] : known),
    '--',
  ]);
  return splitAtNul(output).map((record) => {
    const [id = '', ...subject] = record.toString('utf8').split(' ');
    return { id, subject: subject.join(' ') };
  });
}

function tipsOf(state: RepositoryState | undefined): string[] {
  if (state === undefined) return [];
  return [...new Set(state.head === undefined ? state.tips : [state.head, ...state.tips])];
}
