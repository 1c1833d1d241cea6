import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { FileSystem } from '../storage/index.js';
import type { ToolKind } from './events.js';

/** Where an agent works, and what it must not change there. */
export interface Ground {
  readonly fileSystem: Pick<FileSystem, 'look' | 'resolve'>;
  readonly workingDirectory: string;
  /** Our own directories, wherever they are; `GUARDED` covers those with a fixed name in every project. */
  readonly ownDirectories?: readonly string[] | undefined;
}

/** The parts of a request that say which files it is about. */
interface Placed {
  readonly kind: ToolKind;
  readonly input: unknown;
  readonly locations?: readonly string[] | undefined;
}

/**
 * Names that no edit may pass through unless a person agrees, at any depth: repositories, Holdfast's own files, and the
 * settings of agents and MCP servers, which decide what an agent may do next time.
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

/** Why `edits` does not cover an edit or a read; undefined if it does. Whatever is unclear is not covered. */
export function refusalOf(ground: Ground | undefined, request: Placed): string | undefined {
  const { kind, locations = [] } = request;
  if (kind !== 'edit' && kind !== 'read') return 'only edits are accepted';
  if (hasCommand(request.input)) return 'only edits are accepted, and this one contains a command';
  if (ground === undefined || locations.length === 0) return 'it does not say which files';
  for (const location of locations) {
    const refusal = refusalOfPlace(ground, location, kind);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Something that calls itself an edit but carries a command line is not believed. */
function hasCommand(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  return ['command', 'cmd', 'script'].some((key) => Object.hasOwn(input, key));
}

function refusalOfPlace(ground: Ground, location: string, kind: 'edit' | 'read'): string | undefined {
  const unclear = 'it is not clear which file it means';
  if (location === '' || location.includes('\0') || /^(~|[a-z][\w+.-]*:\/\/)/i.test(location)) return unclear;
  const { fileSystem, workingDirectory } = ground;
  const root = realPath(fileSystem, workingDirectory);
  // Some programs resolve `..` in the text, others after following the links before it: both results must be inside.
  const readings = [
    resolve(workingDirectory, location),
    ...stepByStep(fileSystem, workingDirectory, location),
  ];
  for (const reading of readings) {
    const place = realPath(fileSystem, reading);
    if (root === undefined || place === undefined) return unclear;
    const inside = relative(root, place);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      return 'it is outside the working directory';
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

/** The path as the system walks it, if that may differ from its text. */
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

/** Where a path leads, even if its last parts do not exist yet; undefined if that cannot be determined. */
function realPath(fileSystem: Ground['fileSystem'], path: string): string | undefined {
  try {
    return fileSystem.resolve(path);
  } catch {
    // Nothing is there, or something that cannot be followed: a link to nowhere may become a way out.
    if (isThere(fileSystem, path)) return undefined;
  }
  const parent = dirname(path);
  if (parent === path) return undefined;
  const real = realPath(fileSystem, parent);
  return real === undefined ? undefined : join(real, basename(path));
}

/** Whether something is there; what cannot be examined counts as there. */
function isThere(fileSystem: Ground['fileSystem'], path: string): boolean {
  try {
    return fileSystem.look(path) !== undefined;
  } catch (error) {
    // A parent of this path is a file, so nothing can be written there.
    return (error as { code?: unknown }).code !== 'ENOTDIR';
  }
}
