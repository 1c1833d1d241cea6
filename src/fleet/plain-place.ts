import { join } from 'node:path';
import { isHoldfastError, sleepOrHint, uuidFrom, visibleExcerpt } from '../foundation/index.js';
import { runProgram } from '../programs/index.js';
import type { Entry, Queue } from '../queue/index.js';
import type { RunServices } from '../run/index.js';
import { ensureDirectory, lookAt } from '../storage/index.js';
import { EntryPlaceError, preparePlace, type RunPlace } from '../worker/index.js';
import type { FleetPlace } from './place.js';

export interface PlainPlaceOptions {
  readonly queue: Queue;
  readonly services: RunServices;
  /** `<state>/fleet/repositories`. */
  readonly directory: string;
}

const CLONE_MS = 30 * 60_000;
const END_MS = 60_000;
const LOOK_MS = 250;

/** Forms of addresses that name no program: what stands before `::` would. */
const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/|\/|[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:(?!:))/;

/** Where git gets no credentials by asking, no hook, and no protocol that is a program. */
const PROTOCOLS = 'file:git:http:https:ssh';

/** An entry of the fleet in an ordinary worktree of a clone: it begins at its base commit, on whichever machine takes it. */
export function plainPlace({ queue, services, directory }: PlainPlaceOptions): FleetPlace {
  const places = new Map<string, RunPlace>();
  const end = async ({ id, runId }: Entry) => {
    const place = places.get(id);
    if (place !== undefined && runId !== null) await endRun(place.services, runId);
    places.delete(id);
  };
  return {
    async prepare(entry, _lease, signal) {
      const project = await cloneOf(services, directory, entry.fleet?.repository ?? '', entry.base);
      const here = { ...entry, project, repository: join(project, '.git') };
      const place = await preparePlace(here, { queue, services, signal });
      places.set(entry.id, place);
      return place;
    },
    end,
    handOver: end,
  };
}

/** Asks the run to stop, as a person does, and waits until no process has it. */
async function endRun(services: RunServices, runId: string): Promise<void> {
  const { clock, log } = services;
  try {
    const loops = services.openLoops().as('worker');
    const isAtWork = () => {
      const loop = loops.get();
      return loop?.sessionId === runId && loop.owner.hold === 'held';
    };
    if (isAtWork()) await loops.request({ kind: 'stop' });
    const until = clock.monotonicMs() + END_MS;
    while (isAtWork() && clock.monotonicMs() < until)
      await sleepOrHint(clock, LOOK_MS, new Promise(() => {}));
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    log.warn('fleet.run-not-ended', { run: runId, code: error.code });
  }
}

/** A clone that is there with the commit, or is made. Throws ENTRY_PLACE, PROGRAM_NOT_STARTED. */
async function cloneOf(
  services: RunServices,
  directory: string,
  url: string,
  base: string | null,
): Promise<string> {
  if (!ADDRESS.test(url) || /[\0\r\n]/.test(url))
    throw new EntryPlaceError(`Not an address of a repository: ${visibleExcerpt(url, 200)}`);
  const { fileSystem } = services.tools;
  ensureDirectory(fileSystem, directory);
  const path = join(directory, uuidFrom(url));
  if (lookAt(fileSystem, join(path, '.git', 'HEAD')) === undefined)
    await git(
      services,
      directory,
      ['clone', '--quiet', '--no-checkout', '--template=', '--', url, path],
      url,
    );
  else if (base !== null && !(await has(services, path, base)))
    await git(services, path, ['fetch', '--quiet', '--no-auto-maintenance', 'origin'], url);
  return path;
}

async function has(services: RunServices, path: string, commit: string): Promise<boolean> {
  return (await run(services, path, ['cat-file', '-e', `${commit}^{commit}`])).exit.code === 0;
}

async function git(
  services: RunServices,
  where: string,
  args: readonly string[],
  url: string,
): Promise<void> {
  const { exit, stderr } = await run(services, where, args);
  if (exit.code === 0) return;
  throw new EntryPlaceError(
    `The repository ${visibleExcerpt(url, 200)} cannot be had: ${visibleExcerpt(stderr.trim().split('\n').at(-1) ?? '', 300)}`,
    { hint: 'Try `git ls-remote` with it on this machine; it must work without a password being typed.' },
  );
}

function run(services: RunServices, where: string, args: readonly string[]) {
  const { PATH, HOME, XDG_CONFIG_HOME, SSH_AUTH_SOCK } = services.environment;
  return runProgram(
    { ...services.tools, registry: services.programs },
    {
      command: 'git',
      args: ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args],
      workingDirectory: where,
      environment: {
        PATH,
        HOME,
        XDG_CONFIG_HOME,
        SSH_AUTH_SOCK,
        LC_ALL: 'C',
        GIT_TERMINAL_PROMPT: '0',
        GIT_ALLOW_PROTOCOL: PROTOCOLS,
      },
    },
    CLONE_MS,
  );
}
