import fc from 'fast-check';

const SURROGATES = 0xe000 - 0xd800;

/**
 * Any character except half of a surrogate pair, as a unit of `fc.string`. The package's own `binary` builds a table of
 * all million characters for each string it describes.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff - SURROGATES)
  .map((rank) => String.fromCodePoint(rank < 0xd800 ? rank : rank + SURROGATES), rankOf);

function rankOf(text: unknown): number {
  const [character, ...others] = typeof text === 'string' ? text : '';
  const point = character?.codePointAt(0);
  if (point === undefined || others.length > 0 || (point >= 0xd800 && point < 0xe000))
    throw new Error('not one character');
  return point < 0xd800 ? point : point - SURROGATES;
}
