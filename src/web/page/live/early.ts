import { KEY_HEADER } from '../../contract/index.js';

/** A reply of the server. */
export interface Told {
  readonly isDone: boolean;
  readonly status: number;
  /** Null if it is not JSON. */
  readonly value: unknown;
}

/** A request made before the page itself was loaded. */
interface Early {
  readonly path: string;
  readonly told: Promise<Told>;
}

const scope = globalThis as { holdfastEarly?: Early | undefined };

/** Requests what the page will need first. */
export function askEarly(path: string, key: string): void {
  const told = hear(fetch(path, readWith(key)));
  told.catch(() => {}); // the code that takes it handles the error
  scope.holdfastEarly = { path, told };
}

/** The early request, left in place; undefined if there is none. */
export function whatIsEarly(): Promise<Told> | undefined {
  return scope.holdfastEarly?.told;
}

/** Takes the early request, once; undefined if there is none for this path. */
export function takeEarly(path: string): Promise<Told> | undefined {
  const early = scope.holdfastEarly;
  if (early?.path !== path) return undefined;
  scope.holdfastEarly = undefined;
  return early.told;
}

/** The options of every request: with the key, and never from a cache. */
export function readWith(key: string | null): { headers: Record<string, string>; cache: 'no-store' } {
  const headers = { accept: 'application/json', ...(key === null ? {} : { [KEY_HEADER]: key }) };
  return { headers, cache: 'no-store' };
}

export async function hear(asked: Promise<Response>): Promise<Told> {
  const response = await asked;
  const value: unknown = await response.json().catch(() => null);
  return { isDone: response.ok, status: response.status, value };
}
