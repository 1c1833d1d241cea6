import { nameOf } from '../command.js';
import type { CliProgram } from './program.js';

/** The published spelling of the chat. */
export const AUR: CliProgram = {
  name: 'aur',
  isForPrograms: false,
  async find([first, ...rest]) {
    const { commands } = await import('../commands/agents/aur.js');
    const spawn = commands.find((command) => nameOf(command) === first);
    if (spawn !== undefined) return { name: 'spawn', command: spawn, rest };
    const { other } = await import('../commands/agents/aur-other.js');
    return { name: first ?? '', command: other, rest: [] };
  },
  similar: async () => ['spawn'],
};
