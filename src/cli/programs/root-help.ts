import type { CommandGroup } from '../command.js';
import { commandLine } from './holdfast-program.js';

/** What `holdfast --help` prints; the build puts it into the entry. */
export function rootHelp(groups: readonly CommandGroup[]): string {
  const lines = ['holdfast: durable sessions for coding agents', '', 'Usage: holdfast <command> [options]'];
  for (const { title, commands } of groups) lines.push('', `${title}:`, ...commands.map(commandLine));
  lines.push(
    '',
    'Options of every command:',
    '  --json              Print data as JSON',
    '  --quiet             Print no progress and no notes',
    '  --color, --no-color Force or forbid colours (NO_COLOR is honoured)',
    '  --help              Show the help of a command, with examples',
    '',
    'Example: holdfast ask \'{"questions":[{"title":"Deploy","prompt":"Deploy now?",',
    '         "options":[{"label":"Yes"},{"label":"No"}]}]}\'',
  );
  return lines.join('\n');
}
