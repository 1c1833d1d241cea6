import { basename, join, relative } from 'node:path';
import { isUuidV4, visibleLine } from '../foundation/index.js';
import {
  DocumentDamagedError,
  hasDirectory,
  listDirectory,
  readDocument,
  setAside,
} from '../storage/index.js';
import type { Catalog, CatalogFilter } from './catalog.js';
import type { SessionSummary } from './kind.js';
import { ProjectRecord, type ProjectTools } from './projects.js';

/** A directory where sessions were started. */
export interface RememberedProject {
  /** Its real path at that time. */
  readonly path: string;
  /** The git directory that all worktrees of its repository share; null outside a repository. */
  readonly gitCommonDirectory: string | null;
  readonly rememberedAt: string;
  /** Whether the directory no longer exists. */
  readonly isGone: boolean;
  /** The file that remembers it: delete that file to forget the project. */
  readonly file: string;
}

/** All remembered projects, by path. A damaged record is set aside and logged; the project's next session brings it back. */
export function listProjects(tools: ProjectTools): RememberedProject[] {
  const { fileSystem, projects } = tools;
  if (!hasDirectory(fileSystem, projects)) return [];
  return listDirectory(fileSystem, projects)
    .filter((name) => name.endsWith('.json') && isUuidV4(basename(name, '.json')))
    .flatMap((name) => readProject(tools, join(projects, name)) ?? [])
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function readProject(tools: ProjectTools, file: string): RememberedProject | undefined {
  try {
    const record = readDocument(tools.fileSystem, file, ProjectRecord);
    if (record === undefined) return undefined;
    const { path, gitCommonDirectory, rememberedAt } = record;
    return { path, gitCommonDirectory, rememberedAt, isGone: !isThere(tools, path), file };
  } catch (error) {
    if (!(error instanceof DocumentDamagedError)) throw error;
    const keptAt = setAside(tools, file);
    tools.log.warn('project.damaged', { file, reason: error.reason, keptAt });
    return undefined;
  }
}

function isThere({ fileSystem }: ProjectTools, path: string): boolean {
  try {
    return fileSystem.look(path)?.kind === 'directory';
  } catch {
    return true; // it cannot be looked at, but that does not mean it is gone
  }
}

/** A session and its project: the remembered project that contains it, otherwise the directory where it was started. */
export interface ProjectSession extends SessionSummary {
  readonly project: string | null;
}

/** What a catalog over several projects lists: each session once, with its project. Throws as `Catalog.list`. */
export async function listWithProjects(
  catalog: Catalog,
  projects: readonly RememberedProject[],
  filter: CatalogFilter,
): Promise<ProjectSession[]> {
  const found = new Map<string, ProjectSession>();
  for (const session of await catalog.list(filter)) {
    const { kind, id, createdAt, workingDirectory } = session;
    // A readable session is identified by its id and creation time, wherever it was found.
    const key = JSON.stringify([kind, id, createdAt ?? workingDirectory]);
    if (!found.has(key)) found.set(key, { ...session, project: projectOf(session, projects) });
  }
  return [...found.values()];
}

function projectOf(
  { workingDirectory, repository }: SessionSummary,
  projects: readonly RememberedProject[],
): string | null {
  if (repository !== undefined) return repository;
  if (workingDirectory === null) return null;
  const around = projects.filter(({ path }) => isInside(workingDirectory, path));
  return (
    around.reduce((longest, { path }) => (path.length > longest.length ? path : longest), '') ||
    workingDirectory
  );
}

function isInside(path: string, directory: string): boolean {
  return path === directory || !/^\.\.(\/|$)/.test(relative(directory, path));
}

/** The notice about a project that no longer exists, and how to forget it. */
export function describeGone({ path, file }: RememberedProject): string {
  return `Gone: ${visibleLine(path)}. To forget it, delete ${visibleLine(file)}`;
}
