import { BarredStream, visibleBlock } from '../foundation/index.js';
import type { Terminal } from './terminal.js';

/** What an agent says, on stdout as it comes. */
export interface AgentWords {
  push(text: string): void;
  /** Something of ours comes next: the row of the agent ends here. */
  pause(): void;
  /** The answer is over. */
  end(): void;
}

/**
 * On a screen every row of the agent's has a bar. A pipe or a file gets the lines as they are, made visible, since nobody knows on
 * which screen they end up, and a line break at the end where there is none; `--json` has every byte.
 */
export function agentWords(terminal: Terminal): AgentWords {
  const write = (text: string) => terminal.print(text);
  if (terminal.hasScreen) {
    const rows = new BarredStream({ write, columns: () => terminal.columns });
    return { push: (text) => rows.push(text), pause: () => rows.end(), end: () => rows.end() };
  }
  let held = '';
  let isLineOpen = false;
  const show = (text: string) => {
    if (text === '') return;
    const shown = visibleBlock(text);
    write(shown);
    isLineOpen = !shown.endsWith('\n');
  };
  return {
    push(text) {
      const all = held + text;
      // The other half of the line break may follow.
      held = all.endsWith('\r') ? '\r' : '';
      show(all.slice(0, all.length - held.length));
    },
    pause() {},
    end() {
      show(held);
      held = '';
      if (isLineOpen) write('\n');
      isLineOpen = false;
    },
  };
}
