import chalk from 'chalk';
import { createContext, useContext } from 'react';

/** Whether colours may be used; bold, dim and inverse are no colours, and the highlight needs them. */
export const HasColor = createContext(true);

/** The colour as properties of a Text, where there are colours. */
export function useColor(color: string): { color?: string } {
  return useContext(HasColor) ? { color } : {};
}

/** Lets Ink style its text whatever it would guess about the terminal; we decide about colours ourselves. */
export function allowStyles(): void {
  chalk.level = Math.max(chalk.level, 1) as typeof chalk.level;
}
