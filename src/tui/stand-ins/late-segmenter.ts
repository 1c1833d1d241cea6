import { isNarrow } from './string-width.js';

type Make = typeof Intl.Segmenter;

/**
 * Stands in for `Intl.Segmenter` in the build and creates one at its first use. Creating one takes Node 10 to 15 ms, and most
 * screens only have texts in which each character stands for itself.
 */
export class LateSegmenter {
  readonly #parameters: ConstructorParameters<Make>;
  readonly #isOfGraphemes: boolean;
  #made: Intl.Segmenter | undefined;

  constructor(...parameters: ConstructorParameters<Make>) {
    this.#parameters = parameters;
    this.#isOfGraphemes = (parameters[1]?.granularity ?? 'grapheme') === 'grapheme';
  }

  segment(text: string): Iterable<Intl.SegmentData> {
    if (this.#isOfGraphemes && isNarrow(text.replaceAll('\x1b', ''))) return eachCharacter(text);
    // Not by its plain name, which the build would replace here too.
    this.#made ??= Reflect.construct<ConstructorParameters<Make>, Intl.Segmenter>(
      Reflect.get(Intl, 'Segmenter'),
      this.#parameters,
    );
    return this.#made.segment(text);
  }
}

function* eachCharacter(input: string): Generator<Intl.SegmentData> {
  for (let index = 0; index < input.length; index++) yield { segment: input.charAt(index), index, input };
}
