import { startDetached } from '../programs/index.js';
import type { Services } from './services.js';

/**
 * Runs the program that the user's own config names for opening a directory, detached; undefined if it names none. The
 * name of the directory is passed as an argument, never as part of a command line. Throws PROGRAM_NOT_STARTED.
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
