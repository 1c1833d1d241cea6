import { join } from 'node:path';
import { ensureDirectory, removeTree } from '../storage/index.js';
import type { Environment } from './config.js';
import type { Services } from './services.js';

/** Runs an action with its own HOLDFAST_HOME and empty working directory, both removed afterwards. */
export async function withTemporaryHome<Result>(
  services: Services,
  name: string,
  action: (environment: Environment, workingDirectory: string) => Promise<Result>,
): Promise<Result> {
  const { fileSystem, ids } = services.tools;
  const root = join(services.config.roots.temporary, `holdfast-${name}-${ids.token()}`);
  const home = join(root, 'home');
  const work = join(root, 'work');
  ensureDirectory(fileSystem, home);
  ensureDirectory(fileSystem, work);
  try {
    return await action({ ...services.environment, HOLDFAST_HOME: home }, work);
  } finally {
    removeTree(fileSystem, root);
  }
}
