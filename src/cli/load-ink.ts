/** What draws with Ink: it offers to load its layout engine, without which nothing can be drawn. */
interface WithLayoutEngine {
  loadLayoutEngine(): Promise<void>;
}

/**
 * Ink's layout engine unpacks itself by way of `fetch` where there is one, for which Node loads a whole HTTP client: a
 * fifth of the time to the first frame. Without it, it decodes the bytes that it carries.
 */
export async function loadInk<Module extends WithLayoutEngine>(load: () => Promise<Module>): Promise<Module> {
  const { fetch } = globalThis;
  Reflect.set(globalThis, 'fetch', undefined);
  try {
    const module = await load();
    await module.loadLayoutEngine();
    return module;
  } finally {
    globalThis.fetch = fetch;
  }
}
