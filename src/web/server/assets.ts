import { gunzipSync } from 'node:zlib';

/** A file of the page, embedded in this program: no path is ever read from a URL. */
export interface PageAsset {
  readonly type: string;
  readonly body: Uint8Array;
  readonly gzip?: Uint8Array;
  /** Whether its name changes with its content. */
  readonly isImmutable: boolean;
  /** For the shell: the further files a place needs, by the beginning of its path. */
  readonly late?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** As scripts/package/page.mjs embeds it, with the bytes as base64. */
interface EmbeddedFile {
  readonly path: string;
  readonly type: string;
  readonly gzip: string;
  readonly isImmutable: boolean;
  readonly late?: PageAsset['late'];
}

/** Inserted by the build, as JSON. Without a build there is no page. */
declare const __HOLDFAST_PAGE__: string | undefined;

const NOT_BUILT = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Holdfast</title><p>Holdfast';

/** Every file of the page by the path of its URL; `/` is the shell, which every place begins with. */
export function pageAssets(): ReadonlyMap<string, PageAsset> {
  if (typeof __HOLDFAST_PAGE__ !== 'undefined') {
    const files: readonly EmbeddedFile[] = JSON.parse(__HOLDFAST_PAGE__);
    return new Map(files.map((file) => [file.path, new EmbeddedAsset(file)]));
  }
  const body = new TextEncoder().encode(NOT_BUILT);
  return new Map([['/', { type: 'text/html; charset=utf-8', body, isImmutable: false }]]);
}

/** Decoded when first requested. */
class EmbeddedAsset implements PageAsset {
  readonly type: string;
  readonly isImmutable: boolean;
  readonly late: PageAsset['late'];
  readonly #embedded: string;
  #gzip: Uint8Array | undefined;

  constructor({ type, gzip, isImmutable, late }: EmbeddedFile) {
    this.type = type;
    this.isImmutable = isImmutable;
    this.late = late;
    this.#embedded = gzip;
  }

  get gzip(): Uint8Array {
    this.#gzip ??= Buffer.from(this.#embedded, 'base64');
    return this.#gzip;
  }

  get body(): Uint8Array {
    return gunzipSync(this.gzip);
  }
}
