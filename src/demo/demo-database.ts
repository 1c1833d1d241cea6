import { join } from 'node:path';
import { HoldfastError, visibleExcerpt } from '../foundation/index.js';
import { findProgram, type Program, type ProgramTools, runProgram, startProgram } from '../programs/index.js';
import { ensureDirectory, listDirectory, lookAt, removeTree } from '../storage/index.js';

/** The demo of several machines needs PostgreSQL, but none was found or it did not start. */
export class NoDatabaseError extends HoldfastError<'NO_DATABASE'> {
  readonly code = 'NO_DATABASE';

  constructor(reason: string) {
    super(`The demo with several machines needs PostgreSQL, but ${reason}`, {
      hint: 'Install it (on Debian: `apt install postgresql`), or name an empty database: holdfast demo --fleet --url postgres://you@host/database',
    });
  }
}

/** A database just for the demo. */
export interface DemoDatabase extends AsyncDisposable {
  readonly url: string;
}

const DEBIAN = '/usr/lib/postgresql';
const START_MS = 60_000;
const LOOK_MS = 100;

/** The directory of the PostgreSQL programs: on PATH, or where Debian puts them. Throws NO_DATABASE. */
export function findPostgres(
  { fileSystem }: Pick<ProgramTools, 'fileSystem'>,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const onPath = findProgram(fileSystem, 'initdb', environment.PATH);
  const versions = lookAt(fileSystem, DEBIAN) === undefined ? [] : listDirectory(fileSystem, DEBIAN);
  const newest = versions.sort((a, b) => Number(b) - Number(a)).map((one) => join(DEBIAN, one, 'bin'));
  const places = [...(onPath === undefined ? [] : [join(onPath, '..')]), ...newest];
  const found = places.find((place) =>
    ['initdb', 'postgres'].every((name) => lookAt(fileSystem, join(place, name)) !== undefined),
  );
  if (found === undefined) throw new NoDatabaseError('none was found on PATH or in /usr/lib/postgresql');
  return found;
}

/** Starts a server that only this user can reach, through a socket, until it is disposed of. Throws NO_DATABASE. */
export async function startDatabase(
  tools: ProgramTools,
  { bin, directory }: { readonly bin: string; readonly directory: string },
): Promise<DemoDatabase> {
  ensureDirectory(tools.fileSystem, directory);
  const run = {
    workingDirectory: directory,
    environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C', HOME: directory },
  };
  const as = await unprivileged(tools, directory, run);
  const data = join(directory, 'data');
  const make = [join(bin, 'initdb'), '-D', data, '-U', 'demo', '-A', 'trust', '-N', '-E', 'UTF8'];
  const made = await runProgram(tools, { ...run, ...commandOf([...as, ...make]) }, START_MS);
  if (made.exit.code !== 0)
    throw new NoDatabaseError(`a database could not be created: ${visibleExcerpt(made.stderr, 200)}`);
  const settings = ['-c', 'listen_addresses=', '-c', 'fsync=off'];
  const serve = [join(bin, 'postgres'), '-D', data, '-k', directory, ...settings];
  const server = await startProgram(tools, {
    ...run,
    ...commandOf([...as, ...serve]),
    input: 'closed',
    onLine: () => {},
  });
  await untilUp(tools, server, directory);
  return {
    url: `postgres://demo@/postgres?host=${encodeURIComponent(directory)}`,
    async [Symbol.asyncDispose]() {
      await server.stop({ graceMs: 1, termMs: 5_000 });
      removeTree(tools.fileSystem, directory);
    },
  };
}

/** Waits until the server listens. */
async function untilUp(tools: ProgramTools, server: Program, directory: string): Promise<void> {
  const until = tools.clock.monotonicMs() + START_MS;
  while (lookAt(tools.fileSystem, join(directory, '.s.PGSQL.5432')) === undefined) {
    if (server.exit !== undefined || tools.clock.monotonicMs() > until)
      throw new NoDatabaseError(`it did not start: ${visibleExcerpt(server.stderrTail, 200)}`);
    await tools.clock.sleep(LOOK_MS);
  }
}

/** The words that run a command without privileges: PostgreSQL refuses to run as root. */
async function unprivileged(
  tools: ProgramTools,
  directory: string,
  run: { readonly workingDirectory: string; readonly environment: Readonly<Record<string, string>> },
): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const given = await runProgram(tools, { ...run, ...commandOf(['chown', 'nobody', directory]) }, START_MS);
  if (given.exit.code !== 0)
    throw new NoDatabaseError('it does not run as root, and there is no user "nobody" to run it');
  return ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'];
}

function commandOf([command = '', ...args]: readonly string[]): { command: string; args: string[] } {
  return { command, args };
}
