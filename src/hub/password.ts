import { type FileSystem, lookAt, readUserFile, resolveUserPath, UnsafePathError } from '../storage/index.js';
import type { HubAddress, HubHost } from './address.js';

/** Reads a file that only its owner may read. Throws UNSAFE_PATH if others can read it, STORAGE_FAILED. */
export function readSecretFile(fileSystem: FileSystem, path: string): string | undefined {
  const real = resolveUserPath(fileSystem, path);
  const facts = real === undefined ? undefined : lookAt(fileSystem, real);
  if (real === undefined || facts === undefined) return undefined;
  if ((facts.mode & 0o077) !== 0)
    throw new UnsafePathError(path, 'others can read it', `It holds a password: chmod 600 ${path}`);
  return readUserFile(fileSystem, real)?.trim();
}

/** The password that ~/.pgpass has for a host: host:port:database:user:password, the first matching line; * matches anything. */
export function passwordIn(pgpass: string, { host, port }: HubHost, address: HubAddress): string | undefined {
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), address.database, address.user];
  for (const line of pgpass.split('\n')) {
    if (line.startsWith('#')) continue;
    const fields = line.match(/(?:\\.|[^:\\])*(?::|$)/g)?.map((field) => unescaped(field.replace(/:$/, '')));
    if (fields === undefined || fields.length < 5) continue;
    const fits = wanted.every((value, at) => fields[at] === '*' || fields[at] === value);
    if (fits) return fields[4];
  }
  return undefined;
}

function unescaped(field: string): string {
  return field.replaceAll(/\\(.)/g, '$1');
}
