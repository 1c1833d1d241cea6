import { join } from 'node:path';
import {
  count,
  flag,
  listOf,
  messageOf,
  nullable,
  optional,
  record,
  text,
  type ValueOf,
  whole,
} from '../../foundation/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  type LockTools,
  readDocument,
  removeQuietly,
  writeDocument,
} from '../../storage/index.js';
import type { Added } from '../json-allowance.js';
import { digestOf, type TextEdit } from '../undo.js';

/** Whose settings are changed, and where we keep what we wrote into them. */
export interface SetupServices {
  readonly tools: LockTools;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: {
    readonly roots: { readonly home: string };
    readonly layout: { readonly setups: string };
  };
}

const TextEditRecord = record({ at: count, removed: text, inserted: text });
const AddedRecord = record({
  names: listOf(text),
  made: count,
  widened: optional(text),
  lists: optional(listOf(text)),
});

/** What of ours is in a file: each is recorded, and taken back, on its own. */
export const SETUP_PURPOSES = ['mcp', 'hooks', 'skill'] as const;
export type SetupPurpose = (typeof SETUP_PURPOSES)[number];

/**
 * What `setup` wrote into one file of a client, so that it can be taken back. It holds our own words and what they
 * replaced, never the rest of the file: there may be keys in it.
 */
const SetupRecord = record({
  version: whole(),
  path: text,
  /** There was no such file before. */
  wasAbsent: flag,
  /** SHA-256 of the file as we left it. */
  digest: text,
  /** How it came from what was there before; null once somebody else had written between two edits of ours. */
  edits: nullable(listOf(TextEditRecord)),
  /** What of the permissions is ours; what the user had before is not among it. */
  added: AddedRecord,
});
export type SetupRecord = ValueOf<typeof SetupRecord>;

/** The same as it is made; what else a record may hold, others know. */
export interface NewSetupRecord {
  readonly path: string;
  readonly wasAbsent: boolean;
  readonly digest: string;
  readonly edits: readonly TextEdit[] | null;
  readonly added: Added;
}

/** What was written into a file; undefined where nobody knows, which stops nobody. */
export function readSetupRecord(
  services: SetupServices,
  path: string,
  purpose: SetupPurpose,
): SetupRecord | undefined {
  try {
    const setup = readDocument(services.tools.fileSystem, recordPath(services, path, purpose), SetupRecord);
    return setup?.path === path ? setup : undefined;
  } catch (error) {
    services.tools.log.warn('setup.record-not-known', { path, error: messageOf(error) });
    return undefined;
  }
}

export function writeSetupRecord(
  services: SetupServices,
  setup: NewSetupRecord,
  purpose: SetupPurpose,
): void {
  ensureDirectory(services.tools.fileSystem, services.config.layout.setups);
  writeDocument(
    services.tools,
    recordPath(services, setup.path, purpose),
    {
      version: DOCUMENT_VERSION,
      ...setup,
      edits: setup.edits === null ? null : [...setup.edits],
      added: {
        ...setup.added,
        names: [...setup.added.names],
        lists: setup.added.lists === undefined ? undefined : [...setup.added.lists],
      },
    },
    SetupRecord,
  );
}

export function forgetSetup(services: SetupServices, path: string, purpose: SetupPurpose): void {
  removeQuietly(services.tools.fileSystem, recordPath(services, path, purpose));
}

/** Release 0.1 knew one purpose only, and its records have no word for it. */
function recordPath({ config }: SetupServices, path: string, purpose: SetupPurpose): string {
  const suffix = purpose === 'mcp' ? '' : `-${purpose}`;
  return join(config.layout.setups, `${digestOf(path).slice(0, 32)}${suffix}.json`);
}
