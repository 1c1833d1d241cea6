/** A file of the page, as it was embedded by the build. */
export interface PageAsset {
  readonly type: string;
  readonly body: Uint8Array;
  readonly gzip?: Uint8Array;
  /** Whether its name changes with its content. */
  readonly isImmutable: boolean;
}

const SHELL = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Holdfast</title><p>Holdfast';

/** Every file of the page by the path of its URL; `/` is the shell. */
export function pageAssets(): ReadonlyMap<string, PageAsset> {
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', body: new TextEncoder().encode(SHELL), isImmutable: false }],
  ]);
}
