import { describe, expect, it } from 'vitest';
import type { Question } from '../../sessions/question/index.js';
import { parseReply } from './reply.js';

const one: Question = { title: 'T', prompt: 'P', options: [{ label: 'Allow once' }, { label: 'Deny' }] };
const several: Question = { ...one, multiSelect: true };

describe('a typed answer', () => {
  it.each([
    [one, '1', { labels: ['Allow once'] }],
    [one, ' d ', { labels: ['Deny'] }],
    [one, 'Deny', { labels: ['Deny'] }],
    [one, 'o use make instead', { labels: [], ownWords: 'use make instead' }],
    [one, 'o', 'own-words'],
    [one, 'r', 'reject'],
    [one, 'l', 'later'],
    [one, 'b', 'back'],
    [several, '2, 1', { labels: ['Deny', 'Allow once'] }],
    [several, '0', { labels: [] }],
  ])('%o reads %j', (question, typed, reply) => {
    expect(parseReply(question, typed)).toEqual(reply);
  });

  it.each([
    [one, '0'],
    [one, '3'],
    [one, '1,2'],
    [one, 'yes'],
    [one, ''],
    [several, '1,9'],
  ])('%o does not take %j for an answer', (question, typed) => {
    expect(parseReply(question, typed)).toEqual({ fault: expect.stringContaining('from 1 to 2') });
  });
});
