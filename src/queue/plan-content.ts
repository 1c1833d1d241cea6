import { createHash } from 'node:crypto';
import { basename, join, relative, resolve } from 'node:path';
import { HoldfastError, visibleExcerpt } from '../foundation/index.js';
import { directoryOfChange, findChange, findProject, PlanNotFoundError } from '../plans/index.js';
import { type FileSystem, listDirectory, lookAt, readBytes, readUserFile } from '../storage/index.js';
import { COARSE_MS } from './known-entries.js';
import type { PlanFiles } from './port.js';
import type { QueuedPlan, SeenFile } from './schema.js';
import { openTasks, planOfTask, taskFileName } from './tasks.js';

/** A plan that cannot be queued. */
export class PlanNotQueuedError extends HoldfastError<'PLAN_NOT_QUEUED'> {
  readonly code = 'PLAN_NOT_QUEUED';
}

/** A plan with its current content. */
export interface ReadPlan {
  readonly plan: QueuedPlan;
  readonly content: PlanFiles;
}

/** Where plans are looked up. */
export interface PlanPlace {
  readonly fileSystem: FileSystem;
  readonly workingDirectory: string;
  /** The top of the project; plan names are relative to it. */
  readonly project: string;
}

/** No change that a person wrote has more files than this. */
const MAX_FILES = 1_000;
const MAX_BYTES = 20 * 1024 * 1024;

/** Reads the PRP at a path. Throws PLAN_NOT_FOUND. */
export function readPrp(place: PlanPlace, typed: string): ReadPlan {
  const source = resolve(place.workingDirectory, typed);
  const seen = seeFile(place.fileSystem, source);
  const text = readUserFile(place.fileSystem, source);
  if (text === undefined) throw new PlanNotFoundError(typed);
  if (text.trim() === '') throw new PlanNotFoundError(typed, { reason: 'the file is empty' });
  const files = new Map([[fileIn(place.project, source), Buffer.from(text)]]);
  const { plan, content } = readPlanOf('prp', nameIn(place.project, source), source, files);
  return { plan: { ...plan, seen }, content };
}

/** Reads everything in the directory of a change. Throws CHANGE_NOT_FOUND, PROJECT_NOT_FOUND, PLAN_NOT_QUEUED. */
export function readChange({ fileSystem, workingDirectory }: PlanPlace, name: string): ReadPlan {
  const project = findProject(fileSystem, workingDirectory);
  findChange(fileSystem, project, name);
  const source = directoryOfChange(project, name);
  return readPlanOf('change', name, source, readTree(fileSystem, source));
}

/** Makes each open task of a list a plan of its own. Throws PLAN_NOT_FOUND, PLAN_NOT_QUEUED. */
export function readTasks(place: PlanPlace, typed: string): ReadPlan[] {
  const source = resolve(place.workingDirectory, typed);
  const seen = seeFile(place.fileSystem, source);
  const text = readUserFile(place.fileSystem, source);
  if (text === undefined) throw new PlanNotFoundError(typed);
  const tasks = openTasks(text);
  if (tasks.length === 0)
    throw new PlanNotQueuedError(`${visibleExcerpt(typed, 200)} has no open task`, {
      hint: 'A task is a line such as `- [ ] Add a login` that is not indented.',
    });
  return tasks.map((task, index) => {
    const file = taskFileName(index, task.title);
    const content = new Map([[file, Buffer.from(planOfTask(task))]]);
    const { plan } = readPlanOf('prp', file, source, content);
    return { plan: { ...plan, task: task.title, seen }, content: { files: content } };
  });
}

/** How a file looks without being read; undefined if it is a link or does not exist. */
function seeFile(fileSystem: FileSystem, path: string): SeenFile | undefined {
  const facts = lookAt(fileSystem, path);
  if (facts?.kind !== 'file') return undefined;
  const { inode, size, modifiedMs } = facts;
  return { inode, size, modifiedMs };
}

/** Whether the file of a plan still looks as it did when it was queued, and was not written too shortly before that. */
export function looksTheSame(
  fileSystem: FileSystem,
  { seen, source }: QueuedPlan,
  queuedAt: string,
): boolean {
  if (seen === undefined || seen.modifiedMs + COARSE_MS > Date.parse(queuedAt)) return false;
  const now = seeFile(fileSystem, source);
  return (
    now !== undefined &&
    now.inode === seen.inode &&
    now.size === seen.size &&
    now.modifiedMs === seen.modifiedMs
  );
}

/** The plan of an entry as the person has it now; undefined if it is gone. */
export function readAgain(place: PlanPlace, { kind, source, task, name }: QueuedPlan): ReadPlan | undefined {
  const { fileSystem } = place;
  if (kind === 'change')
    return lookAt(fileSystem, source)?.kind === 'directory'
      ? readPlanOf('change', name, source, readTree(fileSystem, source))
      : undefined;
  const text = readUserFile(fileSystem, source);
  if (text === undefined) return undefined;
  if (task === undefined) return readPrp(place, source);
  const same = openTasks(text).find(({ title }) => title === task);
  if (same === undefined) return undefined;
  const content = new Map([[name, Buffer.from(planOfTask(same))]]);
  return { plan: { ...readPlanOf('prp', name, source, content).plan, task }, content: { files: content } };
}

function readPlanOf(
  kind: QueuedPlan['kind'],
  name: string,
  source: string,
  files: ReadonlyMap<string, Buffer>,
): ReadPlan {
  return {
    plan: { kind, name, source, hash: hashOf(files), files: [...files.keys()] },
    content: { files },
  };
}

/** The same for the same names and contents, in whatever order they were read. */
export function hashOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256');
  for (const [file, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${Buffer.byteLength(file)}:${file}${content.length}:`).update(content);
  return hash.digest('hex');
}

function readTree(fileSystem: FileSystem, directory: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let bytes = 0;
  const walk = (below: string) => {
    for (const name of listDirectory(fileSystem, join(directory, below)).sort()) {
      const file = below === '' ? name : `${below}/${name}`;
      const kind = lookAt(fileSystem, join(directory, file))?.kind;
      // A link may lead anywhere: only real files are kept.
      if (kind === 'directory') walk(file);
      if (kind !== 'file') continue;
      const content = readBytes(fileSystem, join(directory, file)) ?? Buffer.alloc(0);
      bytes += content.length;
      files.set(file, content);
      if (files.size > MAX_FILES || bytes > MAX_BYTES)
        throw new PlanNotQueuedError(`${visibleExcerpt(directory, 200)} is too large to be kept`, {
          hint: `At most ${MAX_FILES} files and 20 MB.`,
        });
    }
  };
  walk('');
  return files;
}

function nameIn(project: string, source: string): string {
  const inside = relative(project, source);
  return inside.startsWith('..') ? source : inside;
}

function fileIn(project: string, source: string): string {
  const inside = relative(project, source);
  return inside.startsWith('..') ? basename(source) : inside;
}
