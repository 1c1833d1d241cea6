import { describe, expect, it } from 'vitest';
import engine, { loadLayoutEngine } from '../tui/layout-engine.js';
import { loadInk } from './load-ink.js';

describe('what draws with Ink', () => {
  it('is given once its layout engine is there, which is made once', async () => {
    const module = { loadLayoutEngine };
    expect(await loadInk(async () => module)).toBe(module);
    const { Node } = engine as { Node?: unknown };
    expect(Node).toBeDefined();
    await loadInk(async () => module);
    expect((engine as { Node?: unknown }).Node).toBe(Node);
  });

  it('leaves fetch as it was, even where loading fails', async () => {
    const { fetch } = globalThis;
    const failing = loadInk(async () => {
      expect(globalThis.fetch).toBeUndefined();
      throw new Error('not there');
    });
    await expect(failing).rejects.toThrow('not there');
    expect(globalThis.fetch).toBe(fetch);
  });
});
