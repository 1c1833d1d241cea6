// What the small entries answer without loading anything. The build runs this and puts the result into them; see
// scripts/build.mjs and docs/decisions/0140.
import type { QuickWords } from './entry.js';
import { HOLDFAST } from './holdfast-table.js';
import { LISTS } from './lists-table.js';
import { QUICK } from './quick-table.js';
import { ralphtoolHelp } from './ralphtool-help.js';
import { RALPHTOOL } from './ralphtool-table.js';
import { rootHelp } from './root-help.js';

/** Texts by the names that the entries know them by. */
export async function entryTexts(): Promise<Readonly<Record<string, string | QuickWords>>> {
  const agent = (await RALPHTOOL.groups?.()) ?? [];
  return {
    __HOLDFAST_HELP__: rootHelp((await HOLDFAST.groups?.()) ?? []),
    __RALPHTOOL_HELP__: ralphtoolHelp(
      'agent',
      agent.flatMap(({ commands }) => commands),
    ),
    __QUICK_WORDS__: { quick: Object.keys(QUICK), lists: Object.keys(LISTS) },
  };
}
