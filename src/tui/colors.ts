import chalk from 'chalk';

/** Decides about colours for everything that Ink draws, whatever it would guess by itself. */
export function setColors(hasColor: boolean): void {
  chalk.level = hasColor ? (Math.max(chalk.level, 1) as typeof chalk.level) : 0;
}
