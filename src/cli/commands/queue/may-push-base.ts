import type { MayPushBase } from '../../../app/queue/open-queue.js';
import { visibleLine } from '../../../foundation/index.js';
import { saysYes } from '../../says-yes.js';
import type { Terminal } from '../../terminal.js';

/** Asks whether to push a commit, unless an option says so; without a terminal it is not pushed. */
export function mayPushBase(
  terminal: Pick<Terminal, 'ask' | 'isInteractive' | 'note'>,
  { isSaid, isJson }: { readonly isSaid: boolean; readonly isJson: boolean },
): MayPushBase {
  return async ({ commit, remote, ref }) => {
    const lacking = `${commit.slice(0, 8)} is not at ${visibleLine(remote)}`;
    if (isSaid) {
      terminal.note(`${lacking}: pushing it as ${ref}`);
      return true;
    }
    if (!terminal.isInteractive || isJson) return false;
    return saysYes(terminal, `${lacking}. Push it as ${ref}?`);
  };
}
