import { visibleBlock } from '../../foundation/index.js';
import { truncate } from '../wrap.js';

const BLOCK_START = /^\s*---(?:PRP_PHASE|RALPH)_STATUS---\s*$/;
const BLOCK_END = /^\s*---END_(?:PRP_PHASE|RALPH)_STATUS---\s*$/;
/** Longer lines are cut before they are encoded. */
const MAX_LINE = 1_000;

/** The last lines of what an agent said, as visible text, cut to a width. Its status block is for us, so it is left out. */
export function lastLines(said: string, width: number, count: number): string[] {
  if (count <= 0 || width <= 0) return [];
  const lines: string[] = [];
  let isInBlock = false;
  for (const line of said.replaceAll(/\r\n?/g, '\n').split('\n')) {
    if (BLOCK_START.test(line)) isInBlock = true;
    if (!isInBlock && line.trim() !== '') lines.push(line);
    if (BLOCK_END.test(line)) isInBlock = false;
  }
  return lines.slice(-count).map((line) => truncate(visibleBlock(line.slice(0, MAX_LINE)), width));
}
