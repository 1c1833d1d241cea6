import { terminalNotes } from '../app/base.js';
import type { CommandContext } from './command.js';

/** Loads what draws a screen, and what restores the terminal if we are killed. */
export async function loadScreen<Module extends object>(
  services: CommandContext['services'],
  load: () => Promise<Module>,
) {
  const engine = import('../tui/stand-ins/index.js').then(({ loadLayoutEngine }) => loadLayoutEngine());
  const [noteTerminal, module] = await Promise.all([terminalNotes(services), load(), engine]);
  return { ...module, noteTerminal };
}
