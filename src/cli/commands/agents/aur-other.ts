import { defineCommand, UsageError } from '../../command.js';

/** Other programs are called `aur`, too: this tells people who wanted one of those whose `aur` this is. */
export const other = defineCommand({
  usage: 'other',
  summary: 'Not a command of this aur',
  options: {},
  examples: [],
  async run() {
    throw new UsageError("This is Holdfast's aur: it knows only `aur spawn`", {
      hint: 'If you meant another program of that name, see which comes first in PATH: `type -a aur`.',
    });
  },
});
