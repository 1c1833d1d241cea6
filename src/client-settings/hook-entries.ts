import { join } from 'node:path';
import { HoldfastError, shellWord, visibleExcerpt } from '../foundation/index.js';
import { CLIENTS, type ClientPlaces, type McpServerEntry } from './client.js';
import { type Added, isEmptyObject, type JsonPlace } from './json-allowance.js';
import { addHooks, type HookGroup, hasHooks, removeHooks } from './json-hooks.js';

/** The clients whose hooks we know. */
export const HOOK_CLIENTS = ['claude', 'codex'] as const;
export type HookClient = (typeof HOOK_CLIENTS)[number];

/** How long a permission may wait for a person. */
const PERMISSION_TIMEOUT_SEC = 86_400;
/** For hooks that only write a small file; Codex cuts the timeout of SessionEnd to 3 s, and warns about it. */
const NOTE_TIMEOUT_SEC = 10;
const END_TIMEOUT_SEC = 3;

interface HookEvent {
  readonly name: string;
  /** The first version of the client that we have tried it with; earlier ones may support it too. */
  readonly since: readonly [number, number, number];
  readonly timeoutSec: number;
}

/** An event that a client does not know can make it ignore all of its settings, so we write only what we have tried. */
const EVENTS: Readonly<Record<HookClient, readonly HookEvent[]>> = {
  claude: [
    { name: 'PermissionRequest', since: [2, 1, 197], timeoutSec: PERMISSION_TIMEOUT_SEC },
    { name: 'Elicitation', since: [2, 1, 325], timeoutSec: PERMISSION_TIMEOUT_SEC },
    { name: 'Notification', since: [2, 1, 325], timeoutSec: NOTE_TIMEOUT_SEC },
    { name: 'UserPromptSubmit', since: [2, 1, 325], timeoutSec: NOTE_TIMEOUT_SEC },
    { name: 'Stop', since: [2, 1, 325], timeoutSec: NOTE_TIMEOUT_SEC },
    { name: 'SessionEnd', since: [2, 1, 325], timeoutSec: END_TIMEOUT_SEC },
  ],
  codex: [
    { name: 'PermissionRequest', since: [0, 166, 0], timeoutSec: PERMISSION_TIMEOUT_SEC },
    { name: 'UserPromptSubmit', since: [0, 166, 0], timeoutSec: NOTE_TIMEOUT_SEC },
    { name: 'Stop', since: [0, 166, 0], timeoutSec: NOTE_TIMEOUT_SEC },
    { name: 'SessionEnd', since: [0, 166, 0], timeoutSec: END_TIMEOUT_SEC },
  ],
};

/** The entries that a client needs for its hooks, by event. */
export type HookEntries = Readonly<Record<string, HookGroup>>;

/** We know no hooks for the installed version of a client, or the client does not say its version. */
class HooksUnknownError extends HoldfastError<'HOOKS_UNKNOWN'> {
  readonly code = 'HOOKS_UNKNOWN';

  constructor(client: HookClient, version: string | null) {
    const { title } = CLIENTS[client];
    super(
      version === null
        ? `The installed version of ${title} is unknown: \`${client} --version\` does not report one`
        : `No hooks are known for ${visibleExcerpt(version, 60)}`,
      {
        hint: `Nothing was written. ${title} ${firstVersion(client)} or later has hooks for permissions; an event that a version does not know could make it ignore its settings.`,
      },
    );
  }
}

/** The entries for the version that the installed client reports (null if it reports none). Throws HOOKS_UNKNOWN. */
export function hooksOfVersion(
  client: HookClient,
  version: string | null,
  program: McpServerEntry,
): HookEntries {
  const entries = version === null ? {} : hookEntries(client, version, program);
  if (Object.keys(entries).length === 0) throw new HooksUnknownError(client, version);
  return entries;
}

/** The entries for the events that a version supports; none if the version cannot be read. */
export function hookEntries(client: HookClient, version: string, program: McpServerEntry): HookEntries {
  const known = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (known === undefined) return {};
  const events = EVENTS[client].filter(({ since }) => !isBefore(known, since));
  return Object.fromEntries(
    events.map(({ name, timeoutSec }) => [name, groupOf(client, name, timeoutSec, program)]),
  );
}

/** The first version whose permission requests can become cards. */
function firstVersion(client: HookClient): string {
  const first = EVENTS[client].find(({ name }) => name === 'PermissionRequest')?.since ?? [];
  return first.join('.');
}

/** The file that the client reads its hooks from. */
export function hooksPath(
  client: HookClient,
  { home, project, claudeConfigDir, codexHome }: ClientPlaces,
): string {
  if (client === 'claude')
    return join(
      project === undefined ? (claudeConfigDir ?? join(home, '.claude')) : join(project, '.claude'),
      'settings.json',
    );
  return join(
    project === undefined ? (codexHome ?? join(home, '.codex')) : join(project, '.codex'),
    'hooks.json',
  );
}

/** What the person has to do after the hooks have been written. */
export function hooksNote(client: HookClient): string {
  return client === 'claude'
    ? 'Sessions that are already running use them from their next tool call on.'
    : 'Start a new Codex session: it shows the hooks once for your review, and uses them only if you trust them.';
}

export function addHookEntries(
  client: HookClient,
  body: string,
  entries: HookEntries,
): { text: string; added: Added } {
  return addHooks(body, entries, isOursOf(client), placeOf(client));
}

export function removeHookEntries(client: HookClient, body: string, added: Added | undefined): string {
  return removeHooks(body, isOursOf(client), added, placeOf(client));
}

export function hasHookEntries(client: HookClient, body: string, entries: HookEntries): boolean {
  return hasHooks(body, entries, placeOf(client));
}

/** Whether a file of hooks has nothing left in it. */
export function isEmptyHooks(client: HookClient, body: string): boolean {
  return body.trim() === '' || isEmptyObject(body, placeOf(client));
}

/** The entries as a person would paste them into an empty file. */
export function renderHookEntries(entries: HookEntries): string {
  const lists = Object.entries(entries).map(([event, group]) => [event, [group]]);
  return `${JSON.stringify({ hooks: Object.fromEntries(lists) }, null, 2)}\n`;
}

function groupOf(
  client: HookClient,
  event: string,
  timeout: number,
  { command, env = {} }: McpServerEntry,
): HookGroup {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)} `);
  const words = `${variables.join('')}${plainWord(command)} hook ${event} --agent ${client}`;
  return { hooks: [{ type: 'command', command: words, timeout }] };
}

/** Leaves a word without quotes if it needs none: easier to read when the hooks are reviewed. */
function plainWord(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : shellWord(word);
}

/** Recognises our own commands, whichever program they start: nobody else's end like this. */
function isOursOf(client: HookClient): (command: string) => boolean {
  const ours = new RegExp(`holdfast.* hook [A-Za-z]+ --agent ${client}$`, 's');
  return (command) => ours.test(command);
}

function isBefore(version: readonly number[], since: readonly number[]): boolean {
  for (const [index, least] of since.entries()) {
    const part = version[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}

function placeOf(client: HookClient): JsonPlace {
  const hint = 'Fix the file and try again; without --write the command prints what belongs there.';
  return {
    format: { kind: 'json', parentKey: 'hooks', comments: false, trailingCommas: false },
    context: { client: CLIENTS[client], hint },
  };
}
