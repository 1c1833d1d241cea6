import { join } from 'node:path';
import { isUuidV4, record, textThat, type ValueOf, whole } from '../foundation/index.js';
import {
  ensureDirectory,
  type LockTools,
  readDocument,
  removeQuietly,
  type StorageTools,
  writeDocument,
} from '../storage/index.js';

/** What the fleet accepts as a machine name. */
export const MACHINE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

const MACHINE_FILE = 'machine.json';

const MachineFile = record({
  version: whole(),
  id: textThat(isUuidV4, 'not a UUID v4'),
  name: textThat((name) => MACHINE_NAME.test(name), 'not a name of a machine'),
});

/** `machine.json`: who this machine is in its fleet. The id is made once and never changes. */
export type OwnMachine = Pick<ValueOf<typeof MachineFile>, 'id' | 'name'>;

/** Undefined before the first join. Throws DOCUMENT_DAMAGED, STORAGE_FAILED. */
export function readOwnMachine({ fileSystem }: StorageTools, directory: string): OwnMachine | undefined {
  return readDocument(fileSystem, pathIn(directory), MachineFile);
}

export function writeOwnMachine(tools: StorageTools, directory: string, { id, name }: OwnMachine): void {
  ensureDirectory(tools.fileSystem, directory);
  writeDocument(tools, pathIn(directory), { version: 1, id, name }, MachineFile);
}

export function forgetOwnMachine({ fileSystem }: StorageTools, directory: string): void {
  removeQuietly(fileSystem, pathIn(directory));
}

export interface IdentityWatch extends Disposable {
  /** Fires once when this home becomes another machine, moves to another fleet, or leaves. */
  readonly changed: AbortSignal;
}

/**
 * A command may join or leave while other processes of this home are alive: they then continue as what the home is now.
 * `identity` returns a different text for another machine or another fleet; `machine.json` is written last.
 */
export function watchIdentity(
  { fileSystem, watcher }: LockTools,
  directory: string,
  identity: () => string,
): IdentityWatch {
  const changed = new AbortController();
  ensureDirectory(fileSystem, directory);
  let before: string | undefined;
  const watch = watcher.watch(directory, (name) => {
    const isAbout = name === null || name === MACHINE_FILE;
    if (isAbout && before !== undefined && identity() !== before) changed.abort();
  });
  // Not before now: whatever happens from here on triggers a hint.
  before = identity();
  return { changed: changed.signal, [Symbol.dispose]: () => watch.close() };
}

/** A name for the fleet, made from this host's name. */
export function machineNameFrom(host: string): string {
  const name = host
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63);
  return name === '' ? 'machine' : name;
}

function pathIn(directory: string): string {
  return join(directory, MACHINE_FILE);
}
