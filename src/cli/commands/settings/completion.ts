import { defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { completionScript, isShell, SHELLS } from '../../render/completion.js';

const completion = defineCommand({
  usage: 'completion <shell>',
  summary: 'Print a completion script for bash, zsh or fish',
  options: {},
  examples: [
    'source <(holdfast completion bash)',
    'holdfast completion fish > ~/.config/fish/completions/holdfast.fish',
  ],
  async run({ terminal, groups }, { positionals: [shell = ''] }) {
    if (!isShell(shell)) throw new UsageError(`Unknown shell; known: ${SHELLS.join(', ')}`);
    terminal.print(`${completionScript(shell, await groups())}\n`);
    return ExitCode.done;
  },
});

export const commands = [completion];
