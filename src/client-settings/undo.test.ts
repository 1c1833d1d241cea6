import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editBetween, undoEdits } from './undo.js';

describe('edits of a text', () => {
  it('lead back to the first of any texts, and contain nothing that stayed', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (texts) => {
        const edits = texts.slice(1).map((text, index) => editBetween(texts[index] ?? '', text));
        expect(undoEdits(texts.at(-1) ?? '', edits)).toBe(texts[0]);
      }),
    );
    expect(editBetween('a secret b', 'a secret, ours b')).toEqual({ at: 8, removed: '', inserted: ', ours' });
  });

  it('refuse a text that is not their result', () => {
    expect(undoEdits('abd', [{ at: 0, removed: '', inserted: 'abc' }])).toBeUndefined();
  });
});
