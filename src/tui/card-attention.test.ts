import { describe, expect, it, vi } from 'vitest';
import { CardAttention } from './card-attention.js';

describe('what a person is looking at', () => {
  it('is a card on a screen with the focus, or where keys are pressed; otherwise nothing', () => {
    let shown: string | undefined;
    const seen: string[] = [];
    const attention = new CardAttention(
      () => shown,
      (id) => seen.push(id),
    );
    attention.focus(true);
    expect(seen).toEqual([]);
    attention.focus(false);
    shown = 'first';
    attention.look();
    expect(seen).toEqual([]);
    attention.focus(true);
    attention.look();
    expect(seen).toEqual(['first']);
    attention.focus(false);
    shown = 'second';
    attention.look();
    expect(seen).toEqual(['first']);
    attention.typed();
    expect(seen).toEqual(['first', 'second']);
    attention[Symbol.dispose]();
  });

  it('is reported again while it lasts', () => {
    vi.useFakeTimers();
    try {
      const seen: string[] = [];
      const attention = new CardAttention(
        () => 'card',
        (id) => seen.push(id),
      );
      attention.focus(true);
      vi.advanceTimersByTime(20_000);
      expect(seen).toHaveLength(5);
      attention[Symbol.dispose]();
    } finally {
      vi.useRealTimers();
    }
  });
});
