/**
 * Ink's layout engine unpacks itself by way of `fetch` where there is one, for which Node loads a whole HTTP client: a
 * fifth of the time to the first frame. Without it, it decodes the bytes that it carries.
 */
export async function loadInk<Module>(load: () => Promise<Module>): Promise<Module> {
  const { fetch } = globalThis;
  Reflect.set(globalThis, 'fetch', undefined);
  try {
    return await load();
  } finally {
    globalThis.fetch = fetch;
  }
}
