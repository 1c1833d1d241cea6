import { join } from 'node:path';
import {
  type Logger,
  messageOf,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  type ValueOf,
  whole,
} from '../foundation/index.js';
import {
  ensureDirectory,
  type FileSystem,
  judgeLife,
  type LockTools,
  ProcessRecord,
  readFile,
  removeQuietly,
  replaceQuick,
} from '../storage/index.js';
import { mendTerminalSettings, readTerminalSettings } from './terminal-settings.js';

/** What a view has changed about a terminal; see `TerminalScreen` of the views. */
const SCREENS = ['alternate', 'live', 'line'] as const;
type HeldScreen = (typeof SCREENS)[number];

/** `terminals/<name>.json`: a view of ours holds this terminal. It need not survive power loss, because no terminal does. */
const TerminalRecord = record({
  version: whole(1, 1),
  terminal: text,
  screen: oneOf(SCREENS),
  /** The output of `stty -g` before we changed any settings. */
  settings: nullable(text),
  owner: ProcessRecord,
  since: optional(text),
});
type TerminalRecord = ValueOf<typeof TerminalRecord>;

/** What is needed to identify our terminal and to find the records of terminals. */
export interface TerminalPlace {
  readonly tools: LockTools;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: { readonly layout: { readonly terminals: string } };
}

/**
 * How a view records that it takes over the terminal, so the next start can put it back if we are killed, and how it
 * clears that record again. Called before the view opens, because reading the terminal's settings takes a program.
 * Never throws: a view is worth more than this.
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
  held: Pick<TerminalRecord, 'terminal' | 'screen' | 'settings'>,
): () => void {
  const { fileSystem, log, clock } = tools;
  const path = recordPath(config, held.terminal);
  try {
    ensureDirectory(fileSystem, config.layout.terminals);
    const made = TerminalRecord.toDisk({
      version: 1,
      ...held,
      owner: tools.identity,
      since: timestamp(clock),
    });
    replaceQuick(tools, path, JSON.stringify(made));
  } catch (error) {
    log.debug('terminal.not-noted', { terminal: held.terminal, error: messageOf(error) });
    return () => {};
  }
  return () => removeQuietly(fileSystem, path);
}

/**
 * Puts back a terminal that a view of ours held when it was killed: its settings, cursor, line wrap, paste and screen.
 * Does nothing if there is no record, or if its process may still be alive. Never throws.
 */
export function mendTerminal(place: TerminalPlace, write: (text: string) => void): void {
  const { tools, environment } = place;
  const { log } = tools;
  const terminal = terminalName(tools.fileSystem);
  if (terminal === undefined) return;
  const path = recordPath(place.config, terminal);
  try {
    const content = readFile(tools.fileSystem, path);
    if (content === undefined) return;
    const held = readRecord(content, log);
    if (held?.terminal === terminal) {
      if (judgeLife(tools.fileSystem, held.owner, tools.identity).life !== 'dead') return;
      if (held.settings !== null) mendTerminalSettings(environment, held.settings);
      write(`${held.screen === 'alternate' ? LEAVE_ALTERNATE : ''}${SANE}`);
    }
    removeQuietly(tools.fileSystem, path);
  } catch (error) {
    log.debug('terminal.not-mended', { terminal, error: messageOf(error) });
  }
}

const LEAVE_ALTERNATE = '\x1b[?1049l';
/** No colours, no focus reports, a visible cursor, line wrap, no brackets around pasted text. */
const SANE = '\x1b[0m\x1b[?1004l\x1b[?25h\x1b[?7h\x1b[?2004l';

/** Undefined if this is not our record, or is one of a later release: then we cannot say how the terminal was set. */
function readRecord(content: string, log: Logger): TerminalRecord | undefined {
  try {
    return TerminalRecord.fromDisk(JSON.parse(content));
  } catch (error) {
    log.debug('terminal.not-mended', { error: messageOf(error) });
    return undefined;
  }
}

/** The terminal, such as `/dev/pts/3`; undefined if the system does not say. */
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
