import chalk from 'chalk';
import { createContext, useContext } from 'react';

/** Whether colours may be used. Bold, dim and inverse do not count as colours; the highlight needs them. */
export const HasColor = createContext(true);

/** The colour as props of a Text, if colours are used. */
export function useColor(color: string): { color?: string } {
  return useContext(HasColor) ? { color } : {};
}

/** Makes Ink style its text whatever it guesses about the terminal; we decide about colours ourselves. */
export function allowStyles(): void {
  chalk.level = Math.max(chalk.level, 1) as typeof chalk.level;
}
