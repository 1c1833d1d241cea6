import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { FileSystem } from '../storage/index.js';
import type { ToolKind } from './events.js';

/** Where an agent works, and what of it is not its to change. */
export interface Ground {
  readonly fileSystem: Pick<FileSystem, 'look' | 'resolve'>;
  readonly workingDirectory: string;
  /** Directories of ours, wherever they are; those that every project has under a fixed name are known. */
  readonly ownDirectories?: readonly string[] | undefined;
}

/** What of a request says where it goes. */
interface Placed {
  readonly kind: ToolKind;
  readonly input: unknown;
  readonly locations?: readonly string[] | undefined;
}

/**
 * Names that no edit may pass through without a person, at any depth: repositories, what Holdfast keeps, and the
 * settings of agents and MCP servers, which decide what an agent may do the next time.
 */
export const GUARDED: ReadonlySet<string> = new Set([
  '.git',
  '.prp-session',
  '.holdfast',
  '.aurora',
  '.claude',
  '.claude.json',
  '.codex',
  '.gemini',
  '.opencode',
  'opencode.json',
  'opencode.jsonc',
  '.mcp.json',
  'mcp.json',
  '.cursor',
  '.vscode',
  '.agents',
]);

/** Why an edit or a read is not within what `edits` allows; undefined when it is. Whatever cannot be told is not. */
export function refusalOf(ground: Ground | undefined, request: Placed): string | undefined {
  const { kind, locations = [] } = request;
  if (kind !== 'edit' && kind !== 'read') return 'only edits are accepted';
  if (hasCommand(request.input)) return 'only edits are accepted, and it is given a command';
  if (ground === undefined || locations.length === 0) return 'it does not say which files';
  for (const location of locations) {
    const refusal = refusalOfPlace(ground, location, kind);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** What is called an edit and carries a command line is not taken at its word. */
function hasCommand(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  return ['command', 'cmd', 'script'].some((key) => Object.hasOwn(input, key));
}

function refusalOfPlace(ground: Ground, location: string, kind: 'edit' | 'read'): string | undefined {
  const unclear = 'it is not clear which file it means';
  if (location === '' || location.includes('\0') || /^(~|[a-z][\w+.-]*:\/\/)/i.test(location)) return unclear;
  const { fileSystem, workingDirectory } = ground;
  const root = realPath(fileSystem, workingDirectory);
  // Some programs take `..` out of the words, others follow the links before it: both readings must be inside.
  const readings = [
    resolve(workingDirectory, location),
    ...stepByStep(fileSystem, workingDirectory, location),
  ];
  for (const reading of readings) {
    const place = realPath(fileSystem, reading);
    if (root === undefined || place === undefined) return unclear;
    const inside = relative(root, place);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      return 'it is outside of the working directory';
    if (kind === 'read') continue;
    if (inside === '') return unclear;
    if (inside.split(sep).some((name) => GUARDED.has(name.toLowerCase())))
      return 'it is not a file of the project (a repository, settings of an agent, or files of Holdfast)';
    if (isOwn(ground, place)) return 'it belongs to Holdfast';
  }
  return undefined;
}

function isOwn({ fileSystem, ownDirectories = [] }: Ground, place: string): boolean {
  return ownDirectories.some((directory) => {
    const inside = relative(realPath(fileSystem, directory) ?? directory, place);
    return inside === '' || !(inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside));
  });
}

/** The path as the system goes along it, where that may differ from its words. */
function stepByStep(fileSystem: Ground['fileSystem'], from: string, location: string): string[] {
  const names = location.split(sep);
  if (!names.includes('..')) return [];
  let at = isAbsolute(location) ? sep : from;
  for (const name of names) {
    if (name === '' || name === '.') continue;
    const here = realPath(fileSystem, at);
    if (here === undefined) return [location.startsWith(sep) ? location : join(from, location)];
    at = name === '..' ? dirname(here) : join(here, name);
  }
  return [at];
}

/** Where a path leads, even if its last parts do not exist yet; undefined if that cannot be decided. */
function realPath(fileSystem: Ground['fileSystem'], path: string): string | undefined {
  try {
    return fileSystem.resolve(path);
  } catch {
    // Nothing is there, or nothing that can be followed: a link to nowhere may become a way out.
    if (isThere(fileSystem, path)) return undefined;
  }
  const parent = dirname(path);
  if (parent === path) return undefined;
  const real = realPath(fileSystem, parent);
  return real === undefined ? undefined : join(real, basename(path));
}

/** What cannot be looked at counts as there. */
function isThere(fileSystem: Ground['fileSystem'], path: string): boolean {
  try {
    return fileSystem.look(path) !== undefined;
  } catch (error) {
    // A file stands where a directory should: nothing can be written there.
    return (error as { code?: unknown }).code !== 'ENOTDIR';
  }
}
