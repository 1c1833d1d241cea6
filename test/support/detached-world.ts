import { endAll, livingIn, processFacts, until } from './processes.js';
import { type RunWorld, runWorld } from './run-world.js';

export const HANG = { steps: [{ say: 'I work.' }, { hang: true }] };

/** A project with a plan, in which runs may be left behind on purpose; they end with the world. */
export interface DetachedWorld extends RunWorld {
  /** Asks the project's run to stop and waits until its process is gone. */
  stop(pid: number): Promise<void>;
  /** The processes of runs that are alive here. */
  runs(): number[];
}

export async function detachedWorld(...args: Parameters<typeof runWorld>): Promise<DetachedWorld> {
  const world = await runWorld(...args);
  return {
    ...world,
    async stop(pid) {
      await world.aside(['stop']);
      await until(() => isGone(pid));
    },
    runs: () => livingIn(world.dir.path, 'holdfast.cjs\0run'),
    async [Symbol.asyncDispose]() {
      await endAll(world.dir.path);
      await world[Symbol.asyncDispose]();
    },
  };
}

/** Gone, or a zombie waiting to be reaped: if the first process does not do that, nothing does. */
export function isGone(pid: number): boolean {
  const facts = processFacts(pid);
  return facts === undefined || facts.state === 'Z';
}
