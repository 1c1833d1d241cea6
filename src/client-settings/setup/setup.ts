import { basename, dirname, join, sep } from 'node:path';
import {
  ensureDirectory,
  type FileSystem,
  lookAt,
  readUserFile,
  removeUserFile,
  resolveUserPath,
  UnsafePathError,
  updateUserFile,
} from '../../storage/index.js';
import { addAllowance, hasAllowance, otherwiseSet, removeAllowance, renderAllowance } from '../allowance.js';
import {
  type Allowance,
  CLIENTS,
  type ClientName,
  type ClientPlaces,
  type McpServerEntry,
} from '../client.js';
import { ClientSettingsError } from '../errors.js';
import { hooksNote } from '../hook-entries.js';
import type { Added } from '../json-allowance.js';
import { addEntry, hasEntry, isEmptySettings, removeEntry, renderEntry } from '../settings.js';
import { digestOf, editBetween, undoEdits } from '../undo.js';
import { partFile, type SetupInstead, type SetupPart } from './part.js';
import {
  forgetSetup,
  type NewSetupRecord,
  readSetupRecord,
  SETUP_PURPOSES,
  type SetupPurpose,
  type SetupRecord,
  type SetupServices,
  writeSetupRecord,
} from './record.js';

export interface SetupPlace {
  readonly entry: McpServerEntry;
  /** The project to write to, instead of the user's own settings. */
  readonly project?: string | undefined;
  /** Something to set up instead of the entry and its permission. */
  readonly instead?: SetupInstead | undefined;
}

/** A file of a client, and what of ours belongs there. */
interface SettingsFile {
  readonly path: string;
  readonly entry: McpServerEntry | undefined;
  readonly allowance: Allowance | undefined;
  readonly purpose: SetupPurpose;
  readonly part?: SetupPart | undefined;
}

/** What a file is for, and its current state. */
export interface SetupFile {
  readonly path: string;
  /** What goes there, as a person would paste it into an empty file. */
  readonly snippet: string;
  readonly hasEntry: boolean;
  /** The tools allowed there, by the client's names. */
  readonly allows: readonly string[];
  /** What else of ours goes there, in words. */
  readonly holds: readonly string[];
  /** All of it is there. */
  readonly isInPlace: boolean;
  /** What the user has set differently; it is left alone. */
  readonly otherwise: readonly string[];
}

export interface ClientSetup {
  readonly client: ClientName;
  readonly files: readonly SetupFile[];
  readonly note: string;
  readonly isInPlace: boolean;
}

/** What a client needs in its settings to reach `holdfast mcp` and use its tools, and whether that is there. */
export function inspectClient(services: SetupServices, client: ClientName, options: SetupPlace): ClientSetup {
  const files = filesOf(services, client, options).map((file) => inspectFile(services, client, file));
  return {
    client,
    files,
    note: noteOf(client, options),
    isInPlace: files.every(({ isInPlace }) => isInPlace),
  };
}

function noteOf(client: ClientName, { project, instead }: SetupPlace): string {
  if (instead?.purpose === 'hooks') return hooksNote(instead.client);
  return CLIENTS[client].note(project === undefined ? {} : { project });
}

function inspectFile(services: SetupServices, client: ClientName, file: SettingsFile): SetupFile {
  const { path, entry, allowance, part } = file;
  const { body } = splitMark(readUserFile(services.tools.fileSystem, path) ?? '');
  return naming(path, () => ({
    path,
    snippet: snippetOf(client, file),
    hasEntry: entry !== undefined,
    holds: part === undefined ? [] : part.holds,
    allows:
      part !== undefined || (allowance === undefined && client !== 'codex') ? [] : CLIENTS[client].toolNames,
    isInPlace:
      (part === undefined || part.has(body)) &&
      (entry === undefined || hasEntry(client, body)) &&
      (allowance === undefined || hasAllowance(client, allowance, body)),
    otherwise: allowance === undefined ? [] : otherwiseSet(client, allowance, body),
  }));
}

function snippetOf(client: ClientName, { entry, allowance, part }: SettingsFile): string {
  if (part !== undefined) return part.snippet;
  const text = entry === undefined ? '' : renderEntry(client, entry);
  if (allowance === undefined) return text;
  // If both go into one file, both are JSON.
  if (text === '') return renderAllowance(allowance);
  return `${JSON.stringify({ ...JSON.parse(text), ...JSON.parse(renderAllowance(allowance)) }, null, 2)}\n`;
}

/**
 * Puts the entry into the client's settings and allows our tools. Returns the files that were changed. Throws
 * CLIENT_SETTINGS_UNREADABLE.
 */
export function installClient(services: SetupServices, client: ClientName, options: SetupPlace): string[] {
  const files = filesOf(services, client, options);
  assertInProject(services, files, options.project);
  // Check all of them before writing the first.
  for (const file of files) edited(client, file, readUserFile(services.tools.fileSystem, file.path));
  return files.filter((file) => installFile(services, client, file)).map(({ path }) => path);
}

/** A project may contain a link where its settings should be, and the target belongs to somebody else. Throws UNSAFE_PATH. */
function assertInProject(
  { tools: { fileSystem } }: SetupServices,
  files: readonly SettingsFile[],
  project: string | undefined,
): void {
  if (project === undefined) return;
  const root = resolveUserPath(fileSystem, project) ?? project;
  for (const { path } of files) {
    const isLink = lookAt(fileSystem, path)?.kind === 'link';
    const real = realPlace(fileSystem, path);
    if (real?.startsWith(root + sep)) continue;
    throw new UnsafePathError(
      path,
      real === undefined || isLink
        ? `it is a link that leads ${real === undefined ? 'nowhere' : `out of the project, to ${real}`}`
        : `its directory is a link that leads out of the project, to ${dirname(real)}`,
      'Replace it with a file of the project, or edit the other file yourself: without --write the command prints what belongs there.',
    );
  }
}

/** Where a file is, or would be created; undefined for a link that leads nowhere. */
function realPlace(fileSystem: FileSystem, path: string): string | undefined {
  if (lookAt(fileSystem, path) !== undefined) return resolveUserPath(fileSystem, path);
  const around = dirname(path);
  const place = around === path ? around : realPlace(fileSystem, around);
  return place === undefined ? undefined : join(place, basename(path));
}

function installFile(services: SetupServices, client: ClientName, file: SettingsFile): boolean {
  const { path } = file;
  return updateUserFile(services.tools, path, (content) => {
    const before = content === undefined ? undefined : textOf(client, path, content);
    const { texts, added } = edited(client, file, before);
    const after = texts.at(-1) ?? '';
    if (after === before) return undefined;
    ensureUserDirectory(services, path);
    // Write the record first: without one, our text in a file could not be told from the user's own.
    const known = readSetupRecord(services, path, file.purpose);
    writeSetupRecord(services, recordOf(path, before, texts, added, known), file.purpose);
    return Buffer.from(after, 'utf8');
  });
}

/** The file before, and after each addition of ours. */
function edited(
  client: ClientName,
  { path, entry, allowance, part }: SettingsFile,
  before: string | undefined,
): { texts: string[]; added: Added } {
  return naming(path, () => {
    const { mark, body } = splitMark(before ?? '');
    const texts = [body];
    if (part !== undefined) {
      const { text, added } = part.add(body);
      return { texts: [body, text].map((one) => mark + one), added };
    }
    if (entry !== undefined) texts.push(addEntry(client, body, entry).text);
    if (allowance === undefined) return { texts: texts.map((text) => mark + text), added: NOTHING };
    const { text, added } = addAllowance(client, allowance, texts.at(-1) ?? '');
    return { texts: [...texts, text].map((one) => mark + one), added };
  });
}

const NOTHING: Added = { names: [], made: 0 };

function recordOf(
  path: string,
  before: string | undefined,
  texts: readonly string[],
  added: Added,
  known: SetupRecord | undefined,
): NewSetupRecord {
  const edits = texts.slice(1).map((text, index) => editBetween(texts[index] ?? '', text));
  const digest = digestOf(texts.at(-1) ?? '');
  const fresh = { path, wasAbsent: before === undefined, digest, edits, added };
  if (known === undefined || before === undefined) return fresh;
  // A second setup: what was ours stays ours, and undoing it leads back to before the first.
  const isUntouched = known.digest === digestOf(before) && known.edits !== null;
  return {
    path,
    wasAbsent: known.wasAbsent,
    digest,
    edits: isUntouched && known.edits !== null ? [...known.edits, ...edits] : null,
    added: added.names.length === 0 ? known.added : merged(known.added, added),
  };
}

function merged(known: Added, added: Added): Added {
  return {
    ...known,
    ...added,
    names: [...new Set([...known.names, ...added.names])],
    made: Math.max(known.made, added.made),
    ...(known.lists === undefined && added.lists === undefined
      ? {}
      : { lists: [...new Set([...(known.lists ?? []), ...(added.lists ?? [])])] }),
  };
}

/**
 * Undoes the setup: byte for byte if nobody has written to the file since, otherwise by removing exactly our entries.
 * Returns the files that were changed. Throws CLIENT_SETTINGS_UNREADABLE.
 */
export function removeClient(services: SetupServices, client: ClientName, options: SetupPlace): string[] {
  const files = filesOf(services, client, options);
  assertInProject(services, files, options.project);
  return files.filter((file) => removeFile(services, client, file)).map(({ path }) => path);
}

function removeFile(services: SetupServices, client: ClientName, file: SettingsFile): boolean {
  const { path } = file;
  const record = readSetupRecord(services, path, file.purpose);
  let isGone = false;
  const isChanged = updateUserFile(services.tools, path, (content) => {
    isGone = false;
    if (content === undefined) return undefined;
    const text = textOf(client, path, content);
    const after = naming(path, () => before(client, file, text, record));
    if (after === undefined) {
      isGone = true;
      return undefined;
    }
    return after === text ? undefined : Buffer.from(after, 'utf8');
  });
  if (isGone) removeUserFile(services.tools.fileSystem, path);
  forgetSetup(services, path, file.purpose);
  if (record?.wasAbsent === true && !isGone) handOnAbsence(services, file);
  return isChanged || isGone;
}

/** The part that created the file is gone. The file is now removed with the last part of ours that is still in it. */
function handOnAbsence(services: SetupServices, { path, purpose }: SettingsFile): void {
  for (const other of SETUP_PURPOSES) {
    const known = other === purpose ? undefined : readSetupRecord(services, path, other);
    if (known === undefined) continue;
    writeSetupRecord(services, { ...known, wasAbsent: true, edits: null }, other);
    return;
  }
}

/** The file without our text; undefined if we created it and nothing would be left. */
function before(
  client: ClientName,
  { entry, allowance, part }: SettingsFile,
  text: string,
  record: SetupRecord | undefined,
): string | undefined {
  if (record !== undefined && record.edits !== null && record.digest === digestOf(text)) {
    const exact = undoEdits(text, record.edits);
    if (exact !== undefined) return record.wasAbsent ? undefined : exact;
  }
  const { mark, body } = splitMark(text);
  if (part !== undefined) {
    const left = part.remove(body, record?.added);
    return record?.wasAbsent === true && part.isEmpty(left) ? undefined : mark + left;
  }
  // Without a record, only the entry is known to be ours.
  const without =
    allowance === undefined || record === undefined
      ? body
      : removeAllowance(client, allowance, body, record.added);
  const left = entry === undefined ? without : removeEntry(client, without).text;
  return record?.wasAbsent === true && isEmptySettings(client, left) ? undefined : mark + left;
}

function filesOf(services: SetupServices, client: ClientName, options: SetupPlace): SettingsFile[] {
  const places = placesOf(services, options);
  if (options.instead !== undefined) return [partFile(client, places, options.instead)];
  const { settingsPath, alsoReads, allowance: allowanceOf } = CLIENTS[client];
  const main = settingsPath(places);
  const isThere = (path: string) => readUserFile(services.tools.fileSystem, path) !== undefined;
  // The first of the client's files that exists, otherwise the one it would create.
  const path = [main, ...alsoReads(places)].find(isThere) ?? main;
  const allowance = allowanceOf(places);
  if (allowance === undefined || allowance.path === main)
    return [{ path, entry: options.entry, allowance, purpose: 'mcp' }];
  return [
    { path, entry: options.entry, allowance: undefined, purpose: 'mcp' },
    { path: allowance.path, entry: undefined, allowance, purpose: 'mcp' },
  ];
}

function placesOf(services: SetupServices, options: SetupPlace): ClientPlaces {
  const { environment } = services;
  const { home } = services.config.roots;
  return {
    home,
    configHome: environment.XDG_CONFIG_HOME || join(home, '.config'),
    ...(options.project === undefined ? {} : { project: options.project }),
    ...(environment.CLAUDE_CONFIG_DIR ? { claudeConfigDir: environment.CLAUDE_CONFIG_DIR } : {}),
    ...(environment.CODEX_HOME ? { codexHome: environment.CODEX_HOME } : {}),
  };
}

function naming<Result>(path: string, edit: () => Result): Result {
  try {
    return edit();
  } catch (error) {
    throw error instanceof ClientSettingsError ? error.inFile(path) : error;
  }
}

/** Bytes that are not text would not survive the edit. */
function textOf(client: ClientName, path: string, content: Buffer): string {
  const text = content.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(content)) return text;
  const context = { client: CLIENTS[client], hint: 'Fix the file and try again.' };
  throw new ClientSettingsError(context, 'the file is not UTF-8', { line: 1, column: 1 }).inFile(path);
}

/** Parsers would take a byte order mark for a stray character. They never see it, and it stays in the file. */
function splitMark(text: string): { mark: string; body: string } {
  return text.startsWith('\uFEFF') ? { mark: '\uFEFF', body: text.slice(1) } : { mark: '', body: text };
}

/** Unlike our own directories, the client's may be a link or readable by others; it is created only if missing. */
function ensureUserDirectory(services: SetupServices, path: string): void {
  const directory = join(path, '..');
  const { fileSystem } = services.tools;
  if (fileSystem.look(directory) === undefined) ensureDirectory(fileSystem, directory);
}
