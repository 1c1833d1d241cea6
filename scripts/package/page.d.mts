export interface BuiltPage {
  readonly files: readonly {
    readonly path: string;
    readonly type: string;
    readonly text: string;
    readonly gzip: Uint8Array;
    readonly isImmutable: boolean;
  }[];
  /** The paths of what the shell loads by itself, and the shell. */
  readonly first: readonly string[];
}

/** Bundles the page of the browser, as if below a directory; nothing is written. */
export function buildPage(outdir: string): Promise<BuiltPage>;
