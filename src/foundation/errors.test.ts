import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  HoldfastError,
  InvalidInputError,
  isHoldfastError,
  messageOf,
  throwIfAborted,
} from './errors.js';

class ExampleError extends HoldfastError<'EXAMPLE'> {
  readonly code = 'EXAMPLE';
}

describe('HoldfastError', () => {
  it('carries its name, code, message, cause and hint', () => {
    const cause = new Error('why');
    const error = new ExampleError('what', { cause, hint: 'Do this.' });
    expect(error).toBeInstanceOf(Error);
    expect({ ...error, name: error.name, message: error.message, cause: error.cause }).toEqual({
      code: 'EXAMPLE',
      hint: 'Do this.',
      name: 'ExampleError',
      message: 'what',
      cause,
    });
  });

  it('has no cause and no hint if none was given', () => {
    const error = new ExampleError('what');
    expect('cause' in error).toBe(false);
    expect(error.hint).toBeUndefined();
  });

  it('keeps a cause that is undefined', () => {
    expect('cause' in new ExampleError('what', { cause: undefined })).toBe(true);
  });
});

describe('isHoldfastError', () => {
  it.each([
    [new ExampleError('x'), undefined, true],
    [new ExampleError('x'), 'EXAMPLE', true],
    [new ExampleError('x'), 'OTHER', false],
    [Object.assign(new Error('x'), { code: 'EXAMPLE' }), 'EXAMPLE', false],
    ['EXAMPLE', undefined, false],
    [undefined, undefined, false],
  ])('%s with code %s: %s', (error, code, expected) => {
    expect(isHoldfastError(error, code)).toBe(expected);
  });
});

it('gives the message of anything that can be thrown', () => {
  expect([new Error('a'), 'b', 3, null, undefined, { toString: () => 'c' }].map(messageOf)).toEqual([
    'a',
    'b',
    '3',
    'null',
    'undefined',
    'c',
  ]);
});

it('says where invalid input is', () => {
  expect(new InvalidInputError('too long', { place: 'questions[0].title' })).toMatchObject({
    code: 'INVALID_INPUT',
    place: 'questions[0].title',
  });
  expect(new InvalidInputError('too long').place).toBe('');
});

it('throws ABORTED only once the signal has fired', () => {
  const controller = new AbortController();
  throwIfAborted(undefined, 'The wait');
  throwIfAborted(controller.signal, 'The wait');
  controller.abort('reason');
  expect(() => throwIfAborted(controller.signal, 'The wait')).toThrow(
    expect.objectContaining({ code: 'ABORTED', message: 'The wait was called off', cause: 'reason' }),
  );
  expect(new AbortedError('It').code).toBe('ABORTED');
});

it('recognises an error of another copy of the package', () => {
  const foreign = Object.assign(new Error('x'), { code: 'LOCKED', [Symbol.for('holdfast.error')]: true });
  expect([
    isHoldfastError(foreign),
    isHoldfastError(foreign, 'LOCKED'),
    isHoldfastError(foreign, 'OTHER'),
  ]).toEqual([true, true, false]);
  expect(isHoldfastError(Object.assign(new Error('x'), { code: 'LOCKED' }))).toBe(false);
});
