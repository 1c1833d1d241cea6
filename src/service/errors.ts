import { HoldfastError, shellWord, visibleLine } from '../foundation/index.js';

/** A unit of this name exists that somebody else wrote. */
export class UnitNotOursError extends HoldfastError<'UNIT_NOT_OURS'> {
  readonly code = 'UNIT_NOT_OURS';

  constructor(path: string) {
    super(`${visibleLine(path)} was not written by Holdfast, and is left as it is`, {
      hint: `Move it away first: mv ${visibleLine(shellWord(path))} ${visibleLine(shellWord(`${path}.kept`))}`,
    });
  }
}
