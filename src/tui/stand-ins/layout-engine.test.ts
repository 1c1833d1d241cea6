import { describe, expect, it } from 'vitest';
import engine, { loadLayoutEngine } from './layout-engine.js';

describe('the layout engine of what draws with Ink', () => {
  it('is created once, and restores what it replaced meanwhile', async () => {
    const { fetch } = globalThis;
    const { instantiate } = Reflect.get(globalThis, 'WebAssembly') as { instantiate: unknown };
    const loading = loadLayoutEngine();
    expect(globalThis.fetch).toBeUndefined();
    await loading;
    const { Node } = engine as { Node?: unknown };
    expect(Node).toBeDefined();
    await loadLayoutEngine();
    expect((engine as { Node?: unknown }).Node).toBe(Node);
    expect(globalThis.fetch).toBe(fetch);
    expect(Reflect.get(globalThis, 'WebAssembly')).toHaveProperty('instantiate', instantiate);
  });
});
