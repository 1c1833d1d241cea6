import { join } from 'node:path';
import { isUuidV4, record, textThat, type ValueOf, whole } from '../foundation/index.js';
import {
  ensureDirectory,
  readDocument,
  removeQuietly,
  type StorageTools,
  writeDocument,
} from '../storage/index.js';

/** What the fleet takes as the name of a machine. */
export const MACHINE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

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

/** A name for the fleet out of whatever this host is called. */
export function machineNameFrom(host: string): string {
  const name = host
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63);
  return name === '' ? 'machine' : name;
}

function pathIn(directory: string): string {
  return join(directory, 'machine.json');
}
