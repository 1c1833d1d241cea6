import { join } from 'node:path';
import { loadCached } from './code-cache.js';
import { isDirect, writeAll } from './direct-output.js';
import { lateRequire } from './late-require.js';
import type { ProgramName } from './program.js';
import { VERSION } from './version.js';

/** The SHA-256 of each file that is loaded with cached code; set by the build. */
declare const __HOLDFAST_DIGESTS__: Readonly<Record<string, string>>;

/** The first words of commands that start often, with their files; all other commands are in the chunks of `main`. */
export type QuickWords = Readonly<Record<string, string>>;

/** The small entry: it answers --version and --help at once and loads everything else only for a command. */
export function startProgram(name: ProgramName, help: string, quickWords: QuickWords = {}): void {
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
    void runCommand(name, args, quickWords);
  }
}

async function runCommand(name: ProgramName, args: readonly string[], quickWords: QuickWords): Promise<void> {
  const word = args[0] ?? '';
  // A hook of an agent that Holdfast itself started has nothing to do, and a hook always ends with 0.
  if (word === 'hook' && process.env.HOLDFAST_MARKER) return;
  const file = Object.hasOwn(quickWords, word) ? quickWords[word] : undefined;
  if (file === undefined) {
    process.exitCode = await (await import('./main.js')).main(args, name);
    return;
  }
  // Not with `import`, which would first load Node's module loader.
  const { exports, save } = loadCached<Main>(join(__dirname, `${file}.cjs`), lateRequire(require), {
    environment: process.env,
    digest: __HOLDFAST_DIGESTS__[file] ?? '',
    ...commandOf(name, args),
  });
  const code = await exports.main(args, name);
  process.exitCode = word === 'hook' ? 0 : code;
  if (process.exitCode !== USAGE) save();
  // Skips Node's cleanup, which the exit does anyway. After deferred callbacks, such as those for failed output.
  if (!exports.isLongLived && isDirect(1) && isDirect(2)) process.nextTick(() => process.exit());
}

/** The exit code of a command line that is not a command; its code is not worth caching. */
const USAGE = 2;

interface Main {
  readonly isLongLived: boolean;
  main(args: readonly string[], name: ProgramName): Promise<number>;
}

const GROUPS = ['questions', 'change', 'sessions'];

/** The group whose code is kept together, and the command within it. Only words that are commands, so their number is bounded. */
function commandOf(name: ProgramName, args: readonly string[]): { group: string; command: string } {
  const [first = '', ...rest] = args;
  const hasOwnCommands = name === 'ralphtool' || GROUPS.includes(first);
  const words = hasOwnCommands ? rest.slice(0, 2).filter((word) => /^[a-z-]{1,20}$/.test(word)) : [];
  return { group: name === 'ralphtool' ? name : first, command: words.join(' ') };
}

/** Writes straight to the descriptor: setting up the stream behind `console` would take longer than everything else here. */
function print(text: string): void {
  // A reader that has left has what it wanted.
  writeAll(1, `${text}\n`);
}
