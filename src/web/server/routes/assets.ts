import type { PageAsset } from '../assets.js';
import { NoSuchAddressError } from '../errors.js';

/** The addresses the page itself knows; each of them serves the shell. */
const SHELL_PATHS =
  /^\/(?:q\/[\w-]{1,64}|runs|r\/[\w-]{1,64}(?:\/report)?|s|s\/[\w.-]{1,64}|devices|sign-in)?$/;

/**
 * A file of the page, by its name in a table: no part of an address is ever part of a path. A browser that opens an unknown
 * address gets the shell, which says so. Throws NO_SUCH_ADDRESS for everyone else.
 */
export function assetResponse(
  assets: ReadonlyMap<string, PageAsset>,
  request: Request,
  path: string,
): Response {
  const known = assets.get(SHELL_PATHS.test(path) ? '/' : path);
  const asset = known ?? (isOpened(request, path) ? assets.get('/') : undefined);
  if (asset === undefined) throw new NoSuchAddressError();
  const { type, body, gzip, isImmutable, late } = asset;
  const links = late?.[placeOf(path)] ?? [];
  const isPacked = gzip !== undefined && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  return new Response((isPacked ? gzip : body) as Uint8Array<ArrayBuffer>, {
    status: known === undefined ? 404 : 200,
    headers: {
      'Content-Type': type,
      'Cache-Control': isImmutable ? 'private, max-age=31536000, immutable' : 'no-cache',
      ...(gzip === undefined ? {} : { Vary: 'Accept-Encoding' }),
      ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
      ...(links.length === 0 ? {} : { Link: links.map((link) => `<${link}>; rel=modulepreload`).join(', ') }),
    },
  });
}

/** The place of a path by its beginning: `/s/<id>` is `/s/`. */
function placeOf(path: string): string {
  return path.slice(0, path.indexOf('/', 1) + 1) || path;
}

/** Whether a person opens an address in a browser, rather than a program fetching it. */
function isOpened(request: Request, path: string): boolean {
  return !path.startsWith('/api/') && /\btext\/html\b/.test(request.headers.get('accept') ?? '');
}
