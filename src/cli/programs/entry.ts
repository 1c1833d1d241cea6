import { writeSync } from 'node:fs';
import type { ProgramName } from './program.js';
import { VERSION } from './version.js';

/**
 * The small entry: it answers --version and --help at once and loads everything else only for a command. `quickWords` are
 * the first words of the commands that start often.
 */
export function startProgram(name: ProgramName, help: string, quickWords: readonly string[]): void {
  const args = process.argv.slice(2);
  const only = args.length === 1 ? args[0] : undefined;
  if (process.platform === 'win32') {
    console.error(
      `${name} does not run on Windows: its promises rest on link(2), fsync and process groups. Use WSL 2.`,
    );
    process.exitCode = 2;
  } else if (only === '--version' || only === '-V') {
    print(VERSION);
  } else if (args.length === 0 || only === '--help' || only === '-h' || only === 'help') {
    print(help);
  } else {
    void runCommand(name, args, quickWords).then((code) => {
      process.exitCode = code;
    });
  }
}

async function runCommand(
  name: ProgramName,
  args: readonly string[],
  quickWords: readonly string[],
): Promise<number> {
  const isQuick = name === 'ralphtool' || quickWords.includes(args[0] ?? '');
  if (!isQuick) return (await import('./main.js')).main(args, name);
  // Not by `import`, which would load what Node has for modules first.
  const { main } = require('./quick.cjs') as typeof import('./quick.js');
  return main(args, name === 'ralphtool' ? name : 'holdfast');
}

/** Straight to the descriptor: setting up the stream behind `console` would take longer than everything else here. */
function print(text: string): void {
  const bytes = Buffer.from(`${text}\n`, 'utf8');
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      // A reader that left has what it wanted; one that is slow is waited for.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
}
