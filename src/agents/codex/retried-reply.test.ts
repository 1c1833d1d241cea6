import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetriedReply } from './retried-reply.js';

describe('RetriedReply', () => {
  it('passes pieces on, and then only the missing part of the whole message', () => {
    const reply = new RetriedReply();
    expect(reply.add('a', 'One, ')).toEqual({ messageId: 'a', text: 'One, ' });
    expect(reply.complete('a', 'One, two.')).toEqual({ messageId: 'a', text: 'two.' });
    expect(reply.complete('a', 'One, two.')).toBeUndefined();
    expect(reply.complete('b', 'Three.')).toEqual({ messageId: 'b', text: 'Three.' });
  });

  it('continues the same message when a reply that broke off is repeated', () => {
    const reply = new RetriedReply();
    reply.add('a', 'It was a da');
    reply.beginAgain();
    expect(reply.add('b', 'It was')).toBeUndefined();
    expect(reply.add('b', ' a dark night')).toEqual({ messageId: 'a', text: 'rk night' });
    expect(reply.complete('b', 'It was a dark night')).toBeUndefined();
  });

  it('gets over two breaks, and several messages in a reply', () => {
    const reply = new RetriedReply();
    reply.add('a', 'One.');
    reply.add('b', 'Tw');
    reply.beginAgain();
    reply.add('c', 'On');
    reply.beginAgain();
    expect(reply.complete('d', 'One.')).toBeUndefined();
    expect(reply.complete('e', 'Two.')).toEqual({ messageId: 'b', text: 'o.' });
  });

  it('passes on an attempt that takes a different course whole, as a message of its own', () => {
    const reply = new RetriedReply();
    reply.add('a', 'It was');
    reply.beginAgain();
    reply.add('b', 'It');
    expect(reply.add('b', ' rained')).toEqual({ messageId: 'b', text: 'It rained' });
  });

  it('forgets a complete reply: the next one may say the same', () => {
    const reply = new RetriedReply();
    reply.add('a', 'Again.');
    reply.endReply();
    reply.beginAgain();
    expect(reply.add('b', 'Again.')).toEqual({ messageId: 'b', text: 'Again.' });
  });

  it('says everything once, wherever a reply breaks', () => {
    const text = 'abcabcabd'.repeat(3);
    fc.assert(
      fc.property(
        fc.array(fc.nat(text.length), { maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        (cuts, size) => {
          const reply = new RetriedReply();
          let passedOn = '';
          for (const [attempt, end] of [...cuts, text.length].entries()) {
            if (attempt > 0) reply.beginAgain();
            for (let at = 0; at < end; at += size) {
              passedOn += reply.add(`m${attempt}`, text.slice(at, Math.min(end, at + size)))?.text ?? '';
            }
          }
          expect(passedOn).toBe(text);
        },
      ),
    );
  });
});
