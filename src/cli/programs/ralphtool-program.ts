import { type Command, nameOf } from '../command.js';
import { nearestCommands } from './nearest.js';
import { type CliProgram, isForCli, type LoadCommands, offered } from './program.js';
import { ralphtoolHelp } from './ralphtool-help.js';

/** The command line for agents that work on a change, with the commands of this file. */
export function ralphtoolProgram(load: LoadCommands = async () => ({ commands: [] })): CliProgram {
  const commands = (): Promise<readonly Command[]> => offered(load, isForCli);
  return {
    name: 'ralphtool',
    isForPrograms: true,
    async find(args) {
      const known = await commands();
      for (const count of [3, 2]) {
        const name = args.slice(0, count).join(' ');
        const command = known.find((one) => nameOf(one) === name);
        if (command !== undefined) return { name, command, rest: args.slice(count) };
      }
      return undefined;
    },
    async groupHelp(args) {
      const last = args.at(-1);
      if (last !== '--help' && last !== '-h') return undefined;
      const group = args.slice(0, -1).join(' ');
      const inGroup = (await commands()).filter((command) => nameOf(command).startsWith(`${group} `));
      return inGroup.length === 0 ? undefined : ralphtoolHelp(group, inGroup);
    },
    similar: async (args) => nearestCommands((await commands()).map(nameOf), args),
    groups: async () => [{ title: 'agent', commands: await commands() }],
  };
}
