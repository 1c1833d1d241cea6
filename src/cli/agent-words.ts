import { BarredStream, visibleBlock } from '../foundation/index.js';
import type { Terminal } from './terminal.js';

/** Prints what an agent says to stdout as it arrives. */
export interface AgentWords {
  push(text: string): void;
  /** Our own output comes next: ends the agent's row. */
  pause(): void;
  /** The answer is over. */
  end(): void;
}

/**
 * On a screen every row of the agent's text has a bar. A pipe or a file gets the lines without one, but with control characters
 * made visible, as they may end up on some screen, and with a final line break. `--json` has every byte.
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
      // The second half of a CRLF may follow.
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
