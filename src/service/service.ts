import { dirname, join, resolve } from 'node:path';
import {
  ensureDirectory,
  readUserFile,
  removeQuietly,
  removeUserFile,
  resolveUserPath,
  type StorageTools,
  updateUserFile,
} from '../storage/index.js';
import { UnitNotOursError } from './errors.js';
import { askSystem, type SystemReply, type SystemTools } from './system.js';
import { isOurs, UNIT_NAME, type UnitFacts, unitText } from './unit.js';

/** What the service needs. */
export interface ServiceTools extends SystemTools, StorageTools {
  /** The directory of this user's units. */
  readonly unitDirectory: string;
  readonly unit: UnitFacts;
  /** The user's name, for the command that lets services start without a login. */
  readonly userName: string;
}

/** What was done, and what is left for a person to do. */
export interface ServiceChange {
  readonly path: string;
  /** Whether the file has changed. */
  readonly isChanged: boolean;
  /** Whether systemd knows about it; null if there is no systemctl. */
  readonly isTold: boolean | null;
  /** Why systemd does not know. */
  readonly reason: string | null;
  /** What a person types to complete it. */
  readonly commands: readonly string[];
}

export interface InstalledService extends ServiceChange {
  /** Whether it starts with the machine rather than at a login; null if that is unknown. */
  readonly isLingering: boolean | null;
  readonly lingerCommand: string;
}

/** How the unit stands. */
export interface UnitStatus {
  readonly path: string;
  /** `other`: there is one that we did not write. `outdated`: `install` would write something else now. */
  readonly unit: 'installed' | 'outdated' | 'other' | 'none';
  /** As systemctl reports it; null if it cannot be asked. */
  readonly enabled: string | null;
  readonly active: string | null;
  readonly isLingering: boolean | null;
  readonly lingerCommand: string;
}

const RELOAD = ['--user', 'daemon-reload'];
const ENABLE = ['--user', 'enable', UNIT_NAME];
const DISABLE = ['--user', 'disable', UNIT_NAME];

export function unitPath({ unitDirectory }: ServiceTools): string {
  return join(unitDirectory, UNIT_NAME);
}

/** Writes the unit and enables it. Throws UNIT_NOT_OURS, and disk errors. */
export async function installUnit(tools: ServiceTools): Promise<InstalledService> {
  const path = unitPath(tools);
  const text = unitText(tools.unit);
  if (resolveUserPath(tools.fileSystem, tools.unitDirectory) === undefined)
    ensureDirectory(tools.fileSystem, tools.unitDirectory);
  const edit = (content: Buffer | undefined) => {
    if (content !== undefined && !isOurs(content.toString())) throw new UnitNotOursError(path);
    return content?.toString() === text ? undefined : Buffer.from(text);
  };
  const isChanged = updateUserFile(tools, path, edit, 0o644);
  const told = await tell(tools, [RELOAD, ENABLE]);
  return { path, isChanged, ...told, ...(await lingering(tools)) };
}

/** Undoes what `installUnit` did, and nothing else. Throws UNIT_NOT_OURS, and disk errors. */
export async function removeUnit(tools: ServiceTools): Promise<ServiceChange> {
  const path = unitPath(tools);
  const text = readUserFile(tools.fileSystem, path);
  if (text !== undefined && !isOurs(text)) throw new UnitNotOursError(path);
  // systemd uses the unit to find what it linked, so it is told first.
  const disabled = text === undefined ? undefined : await tell(tools, [DISABLE]);
  removeUserFile(tools.fileSystem, path);
  removeLink(tools, path);
  const reloaded = text === undefined ? undefined : await tell(tools, [RELOAD]);
  const failed = disabled?.isTold === false ? disabled : reloaded;
  const { isTold = null, reason = null } = failed ?? {};
  const commands = isTold === false ? [commandOf(RELOAD)] : [];
  return { path, isChanged: text !== undefined, isTold, reason, commands };
}

export async function unitStatus(tools: ServiceTools): Promise<UnitStatus> {
  const path = unitPath(tools);
  const text = readUserFile(tools.fileSystem, path);
  const state = async (verb: string) =>
    wordOf(await askSystem(tools, 'systemctl', ['--user', verb, UNIT_NAME]));
  return {
    path,
    unit: unitState(text, unitText(tools.unit)),
    enabled: await state('is-enabled'),
    active: await state('is-active'),
    ...(await lingering(tools)),
  };
}

function unitState(text: string | undefined, current: string): UnitStatus['unit'] {
  if (text === undefined) return 'none';
  if (!isOurs(text)) return 'other';
  return text === current ? 'installed' : 'outdated';
}

/** A single word is a state, whatever the exit code; more words are a complaint. */
function wordOf(reply: SystemReply | undefined): string | null {
  return reply !== undefined && /^[a-z-]+$/.test(reply.words) ? reply.words : null;
}

/** Runs the systemctl commands until one is refused; the rest is left for a person. */
async function tell(
  tools: ServiceTools,
  steps: readonly (readonly string[])[],
): Promise<Pick<ServiceChange, 'isTold' | 'reason' | 'commands'>> {
  for (const [index, args] of steps.entries()) {
    const reply = await askSystem(tools, 'systemctl', args);
    if (reply?.isDone === true) continue;
    const commands = steps.slice(index).map(commandOf);
    return { isTold: reply === undefined ? null : false, reason: reply?.words ?? null, commands };
  }
  return { isTold: true, reason: null, commands: [] };
}

function commandOf(args: readonly string[]): string {
  return ['systemctl', ...args].join(' ');
}

async function lingering(
  tools: ServiceTools,
): Promise<Pick<InstalledService, 'isLingering' | 'lingerCommand'>> {
  const { userName } = tools;
  const reply = await askSystem(tools, 'loginctl', ['show-user', userName, '--property=Linger']);
  const said = /^Linger=(yes|no)$/m.exec(reply?.words ?? '')?.[1];
  return {
    isLingering: said === undefined ? null : said === 'yes',
    lingerCommand: `loginctl enable-linger ${userName}`,
  };
}

/** Removes the link made by enabling, which may be left if systemctl is missing or refused. */
function removeLink({ fileSystem, unitDirectory }: ServiceTools, path: string): void {
  const link = join(unitDirectory, 'default.target.wants', UNIT_NAME);
  try {
    const target = fileSystem.look(link)?.kind === 'link' ? fileSystem.readLink(link) : undefined;
    if (target !== undefined && resolve(dirname(link), target) === path) removeQuietly(fileSystem, link);
  } catch {
    // It cannot be inspected, so it is not ours to remove; systemd skips a link that leads nowhere.
  }
}
