import { join } from 'node:path';
import { ensureDirectory, removeTree } from '../storage/index.js';
import type { Environment } from './config.js';
import type { Services } from './services.js';

/** Runs an action with a HOLDFAST_HOME of its own, which is removed afterwards. */
export async function withTemporaryHome<Result>(
  services: Services,
  name: string,
  action: (environment: Environment) => Promise<Result>,
): Promise<Result> {
  const { fileSystem, ids } = services.tools;
  const home = join(services.config.roots.temporary, `holdfast-${name}-${ids.token()}`);
  ensureDirectory(fileSystem, home);
  try {
    return await action({ ...services.environment, HOLDFAST_HOME: home });
  } finally {
    removeTree(fileSystem, home);
  }
}
