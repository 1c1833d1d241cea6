// The texts that the small entries print without loading anything. The build runs this and puts the result into them; see
// scripts/build.mjs and docs/decisions/0140.
import type { QuickWords } from './entry.js';
import { HOLDFAST } from './holdfast-table.js';
import type { QuickFile } from './quick-table.js';
import * as quickFiles from './quick-table.js';
import { ralphtoolHelp } from './ralphtool-help.js';
import { RALPHTOOL } from './ralphtool-table.js';
import { rootHelp } from './root-help.js';
import * as screenFiles from './screen-table.js';
import * as workFiles from './work-table.js';

/** The texts by the names that the entries use for them. */
export async function entryTexts(): Promise<Readonly<Record<string, string | QuickWords>>> {
  const agent = (await RALPHTOOL.groups?.()) ?? [];
  return {
    __HOLDFAST_HELP__: rootHelp((await HOLDFAST.groups?.()) ?? []),
    __RALPHTOOL_HELP__: ralphtoolHelp(
      'agent',
      agent.flatMap(({ commands }) => commands),
    ),
    __HOLDFAST_WORDS__: wordsOf('holdfast'),
    __RALPHTOOL_WORDS__: wordsOf('ralphtool'),
  };
}

type Table = Readonly<Record<string, QuickFile>>;

/** The command files that are loaded with cached code, by their table: each table is built in its own way. */
export const TABLES: Readonly<Record<string, Table>> = {
  'quick-table': quickFiles,
  'screen-table': screenFiles,
  'work-table': workFiles,
};

/** The file with the commands that begin with a word, for each word. */
function wordsOf(program: keyof QuickFile): QuickWords {
  return Object.fromEntries(
    Object.values(TABLES).flatMap((table) =>
      Object.entries(table).flatMap(([file, words]) =>
        Object.keys(words[program] ?? {}).map((word) => [word, file]),
      ),
    ),
  );
}
