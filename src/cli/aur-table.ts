import type { Program } from './program.js';

/** The published spelling of the chat. */
export const AUR: Program = {
  name: 'aur',
  isForPrograms: false,
  find([first, ...rest]) {
    const load = () => import('./commands/agents/aur-spawn.js');
    if (first === 'spawn') return { name: 'spawn', load, rest };
    return { name: first ?? '', load: () => import('./commands/agents/aur-other.js'), rest: [] };
  },
  similar: () => ['spawn'],
};
