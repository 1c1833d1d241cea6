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

/** Where a client's settings are, and where we keep what we wrote into them. */
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

/** The things of ours that a file can contain; each is recorded and removed separately. */
export const SETUP_PURPOSES = ['mcp', 'hooks', 'skill'] as const;
export type SetupPurpose = (typeof SETUP_PURPOSES)[number];

/**
 * What `setup` wrote into one file of a client, so that it can be undone. It holds our own text and what it replaced,
 * never the rest of the file, which may contain keys.
 */
const SetupRecord = record({
  version: whole(),
  path: text,
  /** The file did not exist before. */
  wasAbsent: flag,
  /** SHA-256 of the file as we left it. */
  digest: text,
  /** The edits that led here from the original; null if somebody else wrote to the file between two edits of ours. */
  edits: nullable(listOf(TextEditRecord)),
  /** The permissions that are ours; not what the user already had. */
  added: AddedRecord,
});
export type SetupRecord = ValueOf<typeof SetupRecord>;

/** The same record as it is created, without fields that may come from other versions. */
export interface NewSetupRecord {
  readonly path: string;
  readonly wasAbsent: boolean;
  readonly digest: string;
  readonly edits: readonly TextEdit[] | null;
  readonly added: Added;
}

/** What was written into a file; undefined if unknown, which is not an error. */
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

/** Release 0.1 knew only one purpose, and its record names have no suffix. */
function recordPath({ config }: SetupServices, path: string, purpose: SetupPurpose): string {
  const suffix = purpose === 'mcp' ? '' : `-${purpose}`;
  return join(config.layout.setups, `${digestOf(path).slice(0, 32)}${suffix}.json`);
}
