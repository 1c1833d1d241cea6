import { startDetached } from '../programs/index.js';
import type { Services } from './services.js';

/**
 * Runs what the user's own config says for opening a directory, by itself; undefined where it says nothing. What the
 * directory is called is an argument, never a part of a command line. Throws PROGRAM_NOT_STARTED.
 */
export async function openDirectory(services: Services, directory: string): Promise<string | undefined> {
  const [command, ...args] = services.config.get('top.open') ?? [];
  if (command === undefined) return undefined;
  const program = await startDetached({
    command,
    args: args.map((argument) => argument.replaceAll('{directory}', () => directory)),
    workingDirectory: directory,
    environment: services.environment,
    stderr: 'ignore',
  });
  program.release();
  return command;
}
