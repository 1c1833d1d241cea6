import { join } from 'node:path';
import { type FileSystem, readFile } from '../storage/index.js';
import { askGit, GitFailedError, type GitTools } from './git.js';
import { splitAtNul } from './git-status.js';
import { nameOf, quotePath } from './path-bytes.js';

/** Filters that a repository names in its own configuration, and the settings that keep git from running any of them. */
export interface ForeignFilters {
  /** Filters known only to the repository. */
  readonly names: ReadonlySet<string>;
  /** For `-c`: whatever the repository says, each filter works as in the user's own configuration, or does nothing. */
  readonly settings: readonly string[];
}

/** Without the programs of these keys git cannot tell whether a file is as committed. */
const JUDGING_KEYS: readonly string[] = ['clean', 'process'];
const NOT_FOUND = 1;

const NONE: ForeignFilters = { names: new Set(), settings: [] };

/**
 * Looks for filters in the configuration of a repository: git would run them whenever it compares a file, and even an
 * agent that may only edit files can write them. Filters from the user's own configuration, such as LFS, stay
 * unchanged. Reading the configuration runs nothing. Throws PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function findForeignFilters(tools: GitTools, top: string): Promise<ForeignFilters> {
  if (isPlain(tools.fileSystem, join(top, '.git'))) return NONE;
  const values = await readFilterSettings(tools, top);
  const names = new Set<string>();
  const settings: string[] = [];
  for (const { filter, key } of values.filter(({ isOwn }) => !isOwn)) {
    if (filter.includes('='))
      throw new GitFailedError('config', top, `its filter ${filter} cannot be switched off`, null);
    const own = values.findLast((value) => value.isOwn && value.filter === filter && value.key === key);
    settings.push(`filter.${filter}.${key}=${own?.value ?? (key === 'required' ? 'false' : '')}`);
    if (own === undefined && JUDGING_KEYS.includes(key)) names.add(filter);
  }
  return { names, settings };
}

/**
 * Whether the repository's configuration is all in its own two files and mentions no filter or include at all. That is
 * true of most, and asking git takes a process for each measurement. Any doubt means no.
 */
function isPlain(fileSystem: FileSystem, gitDirectory: string): boolean {
  try {
    if (fileSystem.look(gitDirectory)?.kind !== 'directory') return false;
    if (fileSystem.look(join(gitDirectory, 'commondir')) !== undefined) return false;
    const texts = ['config', 'config.worktree'].map((name) => readFile(fileSystem, join(gitDirectory, name)));
    return texts.every((text) => !/filter|include/i.test(text ?? ''));
  } catch {
    return false;
  }
}

interface FilterSetting {
  readonly filter: string;
  readonly key: string;
  readonly value: string;
  /** From the user or the system, not from the repository. */
  readonly isOwn: boolean;
}

async function readFilterSettings(tools: GitTools, top: string): Promise<FilterSetting[]> {
  let output: Buffer;
  try {
    output = await askGit(tools, top, ['config', '-z', '--show-scope', '--get-regexp', '^filter\\..']);
  } catch (error) {
    if (error instanceof GitFailedError && error.exitCode === NOT_FOUND) return [];
    throw error;
  }
  const parts = splitAtNul(output).map((part) => part.toString('utf8'));
  return parts.flatMap((scope, at) => {
    if (at % 2 === 1) return [];
    const [name = '', ...value] = (parts[at + 1] ?? '').split('\n');
    const dot = name.lastIndexOf('.');
    const filter = name.slice('filter.'.length, dot);
    const isOwn = scope === 'global' || scope === 'system';
    return [{ filter, key: name.slice(dot + 1).toLowerCase(), value: value.join('\n'), isOwn }];
  });
}

/** The files among these that a foreign filter is meant for: without it git cannot tell whether they changed. */
export async function findUnjudged(
  tools: GitTools,
  top: string,
  paths: readonly Buffer[],
  { names }: ForeignFilters,
): Promise<ReadonlySet<string>> {
  if (names.size === 0 || paths.length === 0) return new Set();
  // Without -z, names are quoted in input and output, one per line.
  const input = paths.map(quotePath);
  const output = await askGit(tools, top, ['check-attr', '--stdin', 'filter'], { input });
  const filters = output.toString('utf8').trimEnd().split('\n');
  const isMeant = (at: number) => names.has(filters[at]?.replace(/^.*: filter: /s, '') ?? '');
  return new Set(paths.filter((_path, at) => isMeant(at)).map(nameOf));
}
