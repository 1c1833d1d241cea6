import type { Terminal } from './terminal.js';

/** Whether the person at the keyboard says yes; Enter alone and leaving are a no. Throws ABORTED at Ctrl+C. */
export async function saysYes(terminal: Pick<Terminal, 'ask'>, words: string): Promise<boolean> {
  const answer = await terminal.ask(`${words} [y/N] `);
  return answer !== null && /^y/i.test(answer.trim());
}
