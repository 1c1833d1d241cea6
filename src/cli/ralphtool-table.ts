import { nearestCommands } from './nearest.js';
import type { Loader, Program } from './program.js';
import { helpOfGroup } from './ralphtool-help.js';

const agent = () => import('./commands/change/ralphtool-agent.js');

const COMMANDS: Readonly<Record<string, Loader>> = {
  'agent session init': async () => ({ default: (await agent()).init }),
  'agent session next-story': async () => ({ default: (await agent()).nextStory }),
  'agent session flush': async () => ({ default: (await agent()).flush }),
  'agent context': async () => ({ default: (await agent()).context }),
  'agent task done': async () => ({ default: (await agent()).taskDone }),
  'agent task undo': async () => ({ default: (await agent()).taskUndo }),
  'agent task list': async () => ({ default: (await agent()).taskList }),
  'agent status': async () => ({ default: (await agent()).status }),
  'agent learn': async () => ({ default: (await agent()).learn }),
};

/** The command line for agents that work on a change. */
export const RALPHTOOL: Program = {
  name: 'ralphtool',
  isForPrograms: true,
  find(args) {
    for (const count of [3, 2]) {
      const name = args.slice(0, count).join(' ');
      const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
      if (load !== undefined) return { name, load, rest: args.slice(count) };
    }
    return undefined;
  },
  groupHelp(args) {
    const last = args.at(-1);
    return last === '--help' || last === '-h' ? helpOfGroup(args.slice(0, -1).join(' ')) : undefined;
  },
  similar: (args) => nearestCommands(Object.keys(COMMANDS), args),
};
