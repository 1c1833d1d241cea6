import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Told } from './told.js';

describe('Told', () => {
  it('passes pieces on, and then only the missing part of the whole message', () => {
    const told = new Told();
    expect(told.add('a', 'One, ')).toEqual({ messageId: 'a', text: 'One, ' });
    expect(told.complete('a', 'One, two.')).toEqual({ messageId: 'a', text: 'two.' });
    expect(told.complete('a', 'One, two.')).toBeUndefined();
    expect(told.complete('b', 'Three.')).toEqual({ messageId: 'b', text: 'Three.' });
  });

  it('continues the same message when a reply that broke off is repeated', () => {
    const told = new Told();
    told.add('a', 'It was a da');
    told.beginAgain();
    expect(told.add('b', 'It was')).toBeUndefined();
    expect(told.add('b', ' a dark night')).toEqual({ messageId: 'a', text: 'rk night' });
    expect(told.complete('b', 'It was a dark night')).toBeUndefined();
  });

  it('gets over two breaks, and several messages in a reply', () => {
    const told = new Told();
    told.add('a', 'One.');
    told.add('b', 'Tw');
    told.beginAgain();
    told.add('c', 'On');
    told.beginAgain();
    expect(told.complete('d', 'One.')).toBeUndefined();
    expect(told.complete('e', 'Two.')).toEqual({ messageId: 'b', text: 'o.' });
  });

  it('passes on an attempt that takes a different course whole, as a message of its own', () => {
    const told = new Told();
    told.add('a', 'It was');
    told.beginAgain();
    told.add('b', 'It');
    expect(told.add('b', ' rained')).toEqual({ messageId: 'b', text: 'It rained' });
  });

  it('forgets a complete reply: the next one may say the same', () => {
    const told = new Told();
    told.add('a', 'Again.');
    told.endReply();
    told.beginAgain();
    expect(told.add('b', 'Again.')).toEqual({ messageId: 'b', text: 'Again.' });
  });

  it('says everything once, wherever a reply breaks', () => {
    const text = 'abcabcabd'.repeat(3);
    fc.assert(
      fc.property(
        fc.array(fc.nat(text.length), { maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        (cuts, size) => {
          const told = new Told();
          let passedOn = '';
          for (const [attempt, end] of [...cuts, text.length].entries()) {
            if (attempt > 0) told.beginAgain();
            for (let at = 0; at < end; at += size) {
              passedOn += told.add(`m${attempt}`, text.slice(at, Math.min(end, at + size)))?.text ?? '';
            }
          }
          expect(passedOn).toBe(text);
        },
      ),
    );
  });
});
