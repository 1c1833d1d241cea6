import { HelpRequested, parseCommand } from '../../src/cli/parse.js';
import { HOLDFAST } from '../../src/cli/programs/holdfast-table.js';
import type { CliProgram } from '../../src/cli/programs/program.js';
import { RALPHTOOL } from '../../src/cli/programs/ralphtool-table.js';

const PROGRAMS: Readonly<Record<string, CliProgram>> = { holdfast: HOLDFAST, ralphtool: RALPHTOOL };

/** Our command lines as quoted in a document: in code, in a console block, or indented. */
export function quotedCommands(document: string): string[] {
  const text = document.replaceAll("'\\''", '');
  const inline = [...text.matchAll(/`((?:holdfast|ralphtool) [^`\n]+)`/g)];
  const lines = [...text.matchAll(/^(?:\$ | {4})(?:cd \S+ && )?((?:holdfast|ralphtool) .+)$/gm)];
  return [...new Set([...inline, ...lines].map(([, line = '']) => line))];
}

/** Throws if a command line would not be understood. The first words of a command alone stand for the whole group. */
export async function checkCommandLine(line: string): Promise<void> {
  const [name = '', ...words] = [...line.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) =>
    word.replaceAll(/^["']|["']$/g, ''),
  );
  const program = PROGRAMS[name];
  if (program === undefined) throw new Error(`no such program: ${name}`);
  if (words.join() === '--version') return;
  const found = await program.find(words);
  if (found === undefined) {
    if ((await program.groupHelp?.([...words, '--help'])) !== undefined) return;
    throw new Error(`no such command: ${line}`);
  }
  try {
    parseCommand(found.command, found.rest, name);
  } catch (error) {
    if (!(error instanceof HelpRequested)) throw error;
  }
}
