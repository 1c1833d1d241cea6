import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, timestamp } from '../foundation/index.js';
import {
  ensureDirectory,
  type FileSystem,
  judgeLife,
  type LockTools,
  readFile,
  removeQuietly,
  replaceQuick,
} from '../storage/index.js';
import { mendTerminalSettings, readTerminalSettings } from './terminal-settings.js';

/** What a view has changed about a terminal; see `TerminalScreen` of the views. */
const SCREENS = ['alternate', 'live', 'line'] as const;
export type HeldScreen = (typeof SCREENS)[number];

/** `terminals/<name>.json`: a view of ours holds this terminal. It need not survive power loss, which no terminal does. */
const TerminalRecord = z.object({
  version: z.literal(1),
  terminal: z.string(),
  screen: z.enum(SCREENS),
  /** As `stty -g` told them before we changed any. */
  settings: z.string().nullable(),
  owner: z.object({
    pid: z.int(),
    startTime: z.string().nullable(),
    bootId: z.string().nullable(),
    pidNamespace: z.string().nullable(),
    host: z.string(),
  }),
});

/** What it takes to know the terminal that we are in, and where records of such are. */
export interface TerminalPlace {
  readonly tools: LockTools;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: { readonly layout: { readonly terminals: string } };
}

/**
 * How a view writes down that it takes the terminal over, so that the next start can put it back if we are killed, and how it
 * forgets that again. Asked for before the view opens: how the terminal is set now takes a program to find out. Never throws:
 * a view is worth more than this.
 */
export async function terminalNotes(place: TerminalPlace): Promise<(screen: HeldScreen) => () => void> {
  const { tools, environment } = place;
  const terminal = terminalName(tools.fileSystem);
  if (terminal === undefined) return () => () => {};
  const settings = await readTerminalSettings(environment);
  return (screen) => noteTerminal(place, { terminal, screen, settings });
}

function noteTerminal(
  { tools, config }: TerminalPlace,
  held: Pick<z.input<typeof TerminalRecord>, 'terminal' | 'screen' | 'settings'>,
): () => void {
  const { fileSystem, log, clock } = tools;
  const path = recordPath(config, held.terminal);
  const { pid, startTime, bootId, pidNamespace, host } = tools.identity;
  const owner = { pid, startTime, bootId, pidNamespace, host };
  try {
    ensureDirectory(fileSystem, config.layout.terminals);
    const record: z.input<typeof TerminalRecord> = { version: 1, ...held, owner };
    replaceQuick(tools, path, JSON.stringify({ ...record, since: timestamp(clock) }));
  } catch (error) {
    log.debug('terminal.not-noted', { terminal: held.terminal, error: messageOf(error) });
    return () => {};
  }
  return () => removeQuietly(fileSystem, path);
}

/**
 * Puts a terminal back that a view of ours held when it was killed: its settings, cursor, line wrap, paste and screen.
 * Nothing happens where there is no record, or its process may live. Never throws.
 */
export function mendTerminal(place: TerminalPlace, write: (text: string) => void): void {
  const { tools, environment } = place;
  const { log } = tools;
  const terminal = terminalName(tools.fileSystem);
  if (terminal === undefined) return;
  const path = recordPath(place.config, terminal);
  try {
    const text = readFile(tools.fileSystem, path);
    if (text === undefined) return;
    const read = TerminalRecord.safeParse(JSON.parse(text));
    const record = read.success && read.data.terminal === terminal ? read.data : undefined;
    if (record !== undefined) {
      if (judgeLife(tools.fileSystem, record.owner, tools.identity).life !== 'dead') return;
      if (record.settings !== null) mendTerminalSettings(environment, record.settings);
      write(`${record.screen === 'alternate' ? LEAVE_ALTERNATE : ''}${SANE}`);
    }
    removeQuietly(tools.fileSystem, path);
  } catch (error) {
    log.debug('terminal.not-mended', { terminal, error: messageOf(error) });
  }
}

const LEAVE_ALTERNATE = '\x1b[?1049l';
/** No colours, no reports of the focus, a cursor, line wrap, no brackets around what is pasted. */
const SANE = '\x1b[0m\x1b[?1004l\x1b[?25h\x1b[?7h\x1b[?2004l';

/** Such as `/dev/pts/3`; undefined where the system does not tell. */
function terminalName(fileSystem: FileSystem): string | undefined {
  try {
    const path = fileSystem.readLink('/proc/self/fd/0');
    return /^\/dev\/[\w/]{1,100}$/.test(path) ? path : undefined;
  } catch {
    return undefined; // there is no /proc
  }
}

function recordPath(config: TerminalPlace['config'], terminal: string): string {
  return join(config.layout.terminals, `${terminal.slice('/dev/'.length).replaceAll('/', '-')}.json`);
}
