import { KEY_HEADER } from '../../contract/index.js';

/** What a server said. */
export interface Told {
  readonly isDone: boolean;
  readonly status: number;
  /** Null where it is no JSON. */
  readonly value: unknown;
}

/** Something that was asked for before the page itself was there. */
interface Early {
  readonly path: string;
  readonly told: Promise<Told>;
}

const scope = globalThis as { holdfastEarly?: Early | undefined };

/** Asks for what the page will want first. */
export function askEarly(path: string, key: string): void {
  const told = hear(fetch(path, readWith(key)));
  told.catch(() => {}); // whoever takes it hears of it
  scope.holdfastEarly = { path, told };
}

/** What was asked for early, for who waits for it; undefined where nothing was. */
export function whatIsEarly(): Promise<Told> | undefined {
  return scope.holdfastEarly?.told;
}

/** What was asked for early, once; undefined where nothing was, or something else. */
export function takeEarly(path: string): Promise<Told> | undefined {
  const early = scope.holdfastEarly;
  if (early?.path !== path) return undefined;
  scope.holdfastEarly = undefined;
  return early.told;
}

/** How the page asks for anything: with its key, and never for what a cache has. */
export function readWith(key: string | null): { headers: Record<string, string>; cache: 'no-store' } {
  const headers = { accept: 'application/json', ...(key === null ? {} : { [KEY_HEADER]: key }) };
  return { headers, cache: 'no-store' };
}

export async function hear(asked: Promise<Response>): Promise<Told> {
  const response = await asked;
  const value: unknown = await response.json().catch(() => null);
  return { isDone: response.ok, status: response.status, value };
}
