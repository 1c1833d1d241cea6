import { BarredStream } from '../foundation/index.js';
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
 * On a screen every row of the agent's has a bar. A pipe or a file is read by a program, which gets what the agent said byte for
 * byte, and a line break at the end where it has none.
 */
export function agentWords(terminal: Terminal): AgentWords {
  const write = (text: string) => terminal.print(text);
  if (terminal.hasScreen) {
    const rows = new BarredStream({ write, columns: () => terminal.columns });
    return { push: (text) => rows.push(text), pause: () => rows.end(), end: () => rows.end() };
  }
  let last = '\n';
  return {
    push(text) {
      write(text);
      if (text !== '') last = text.slice(-1);
    },
    pause() {},
    end() {
      if (last !== '\n') write('\n');
      last = '\n';
    },
  };
}
