import { join, resolve } from 'node:path';
import {
  type Clock,
  type Logger,
  messageOf,
  named,
  nullable,
  record,
  text,
  textThat,
  timestamp,
  uuidFrom,
  whole,
  withDefault,
} from '../foundation/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  formatDocument,
  gitCommonDirectory,
  realPath,
  replaceQuick,
  type StorageTools,
} from '../storage/index.js';

/** The record of a directory where sessions were started. */
export const ProjectRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  path: textThat((path) => path.startsWith('/'), 'not an absolute path'),
  gitCommonDirectory: named('git_common_dir', nullable(text)),
  rememberedAt: named('remembered_at', text),
});

/** What is needed to remember projects, and where the records are kept. */
export interface ProjectTools extends StorageTools {
  readonly clock: Clock;
  readonly log: Logger;
  /** `<state>/projects`: one file for each directory, named after it. */
  readonly projects: string;
}

/**
 * Remembers a directory where a session was started, so that its sessions can be listed from anywhere. A known
 * directory costs one look, because agents' commands come here with every session. Each directory has its own file,
 * written as a whole, so two processes lose nothing; what power loss takes comes back with the next session. Never
 * throws: the session matters more than remembering it.
 */
export function rememberProject(tools: ProjectTools, directory: string): void {
  const { fileSystem } = tools;
  try {
    const given = resolve(directory);
    if (isKnown(tools, given)) return;
    // Files are named after real paths only: a link may point to another directory by now.
    const path = realPath(fileSystem, given);
    if (path === undefined || (path !== given && isKnown(tools, path))) return;
    ensureDirectory(fileSystem, tools.projects);
    const file = projectFile(tools.projects, path);
    const remembered = {
      version: DOCUMENT_VERSION,
      path,
      gitCommonDirectory: gitCommonDirectory(fileSystem, path) ?? null,
      rememberedAt: timestamp(tools.clock),
    };
    replaceQuick(tools, file, formatDocument(file, remembered, ProjectRecord));
  } catch (error) {
    tools.log.warn('project.not-remembered', { path: directory, error: messageOf(error) });
  }
}

function isKnown({ fileSystem, projects }: ProjectTools, path: string): boolean {
  return fileSystem.look(projectFile(projects, path)) !== undefined;
}

/** The file that remembers a project. */
export function projectFile(projects: string, path: string): string {
  return join(projects, `${uuidFrom(path)}.json`);
}
