import { defineCommand, UsageError } from '../../command.js';
import { CHAT_OPTIONS, runChat } from './chat.js';

const spawn = defineCommand({
  usage: 'spawn [tasks]',
  summary: 'Talk to an agent; every turn is kept (the same as `holdfast chat`)',
  options: {
    interactive: { type: 'boolean', short: '-i', about: 'a conversation of many turns' },
    ...CHAT_OPTIONS,
  },
  examples: [
    'aur spawn --interactive --agent qa-test',
    'aur spawn --resume session-123',
    'aur spawn --list-sessions --status active',
    'aur spawn --clean-sessions 30',
  ],
  async run(context, { positionals: [tasks], values }) {
    if (tasks !== undefined)
      throw new UsageError(
        values.interactive ? 'Cannot use --interactive with task file' : 'Task files are not run by this aur',
        { hint: 'Leave the file out: aur spawn --interactive. To work through a plan: holdfast run.' },
      );
    const isAsked =
      values.interactive ||
      values.resume !== undefined ||
      values.listSessions ||
      values.deleteSession !== undefined ||
      values.cleanSessions !== undefined;
    if (!isAsked)
      throw new UsageError('Only `aur spawn --interactive` is known', { hint: 'See `aur spawn --help`.' });
    return runChat(context, values, { title: 'Aurora Spawn Interactive Mode', hasProjects: false });
  },
});

export const commands = [spawn];
