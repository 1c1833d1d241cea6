import { describe, expect, it } from 'vitest';
import { formatPrompt, readAnswerLine, readContext } from './answer-line.js';
import { decideRules, type LineOptions } from './options.js';

const read = (line: string, options: LineOptions = {}) => readAnswerLine(line, decideRules(options));

describe('a line of an answer', () => {
  it.each([
    ['[DONE]', null],
    ['  [DONE]  ', null],
    ['>>>', null],
    ['>>> ', null],
    ['All is well. [DONE]', 'All is well.'],
  ])('ends it: %j', (line, text) => {
    expect(read(line)).toEqual({ text, end: 'completed' });
  });

  it.each([
    '',
    '   ',
    'plain',
    '>>> import os',
    'It prints [DONE] at the end, then leaves.',
    '<<<<<<< ours\u2028[done]',
  ])('is text: %j', (line) => {
    expect(read(line)).toEqual({ text: line, end: null });
  });

  it('ends it wherever the marker stands, if that is configured', () => {
    const options = { markersCount: 'anywhere' } as const;
    expect(read('a [DONE] b', options)).toEqual({ text: 'a  b', end: 'completed' });
    expect(read('>>> import os', options)).toEqual({ text: 'import os', end: 'completed' });
    expect(read('>>>', options)).toEqual({ text: '>>>', end: null });
  });

  it('ends it when it is blank, if that is configured', () => {
    const options = { endMarkers: [''] };
    expect(read(' ', options)).toEqual({ text: null, end: 'completed' });
    expect(read('[DONE]', options)).toEqual({ text: '[DONE]', end: null });
  });

  it('ends it as a failure with a failure marker, which takes precedence', () => {
    const options = { failureMarkers: ['[FAILED]', '!! [DONE]'] };
    expect(read('no room [FAILED]', options)).toEqual({ text: 'no room', end: 'failed' });
    expect(read('!! [DONE]', options)).toEqual({ text: null, end: 'failed' });
  });
});

describe('the context of a program', () => {
  const rules = decideRules({ context: { windowTokens: 200_000 } });

  it.each([
    ['Context: 45% used', 90_000],
    ['context usage: 45%', 90_000],
    ['Context 7 %', 14_000],
    ['Context: 250%', 200_000],
  ])('is read from %j', (line, contextTokens) => {
    expect(readContext(line, rules)).toMatchObject({ contextTokens, contextWindow: 200_000, inputTokens: 0 });
  });

  it.each(['no context: yes', 'subcontext: 45%', 'context'])('is not in %j', (line) => {
    expect(readContext(line, rules)).toBeNull();
  });

  it('is not looked for unless that is configured', () => {
    expect(readContext('Context: 45%', decideRules({}))).toBeNull();
  });

  it("is read by the user's own pattern", () => {
    const own = decideRules({ context: { pattern: /(\d+)pc left/, windowTokens: 100 } });
    expect(readContext('30pc left', own)?.contextTokens).toBe(30);
  });
});

describe('a prompt', () => {
  it('of several lines becomes one if each line is a prompt', () => {
    expect(formatPrompt('a\nb\r\nc\rd', decideRules({}))).toBe('a b c d');
    expect(formatPrompt('a\nb', decideRules({ lineBreak: '\\n' }))).toBe('a\\nb');
  });

  it('keeps its lines if a terminator ends it', () => {
    expect(formatPrompt('a\n\nb', decideRules({ promptTerminator: '.' }))).toBe('a\n\nb\n.');
  });

  it('that contains the terminator cannot be sent', () => {
    expect(formatPrompt('a\n.\nb', decideRules({ promptTerminator: '.' }))).toBeNull();
  });
});
