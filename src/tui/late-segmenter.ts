type Make = typeof Intl.Segmenter;

/**
 * Stands in for `Intl.Segmenter` in the build, and makes one at its first use. Making one takes Node 10 to 15 ms, and most
 * screens have nothing to take apart.
 */
export class LateSegmenter {
  readonly #parameters: ConstructorParameters<Make>;
  #made: Intl.Segmenter | undefined;

  constructor(...parameters: ConstructorParameters<Make>) {
    this.#parameters = parameters;
  }

  segment(text: string): Intl.Segments {
    // Not by its name, which the build replaces here, too.
    this.#made ??= Reflect.construct<ConstructorParameters<Make>, Intl.Segmenter>(
      Reflect.get(Intl, 'Segmenter'),
      this.#parameters,
    );
    return this.#made.segment(text);
  }
}
