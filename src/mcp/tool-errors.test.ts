import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../foundation/index.js';
import { SessionTimedOutError } from '../sessions/question/index.js';
import { toolError } from './tool-errors.js';

describe('an error as a tool result', () => {
  it('has its code, its message and what the agent can do', () => {
    expect(toolError(new InvalidInputError('No title'))).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'Error (INVALID_INPUT): No title\nCorrect the call and try again.' }],
    });
  });

  it('has the hint if there is no advice for agents', () => {
    const [content] = toolError(new SessionTimedOutError('x')).content;
    expect(content).toMatchObject({
      text: expect.stringMatching(/^Error \(SESSION_TIMED_OUT\): .*\nA late answer is still accepted/),
    });
  });

  it('is INTERNAL for anything that is not ours', () => {
    expect(toolError('text')).toMatchObject({ content: [{ text: 'Error (INTERNAL): text' }] });
  });

  it('is one visible line, whatever the message says', () => {
    const [content] = toolError(new Error('a\nError (NONE): forged\u001b[2J\u202e')).content;
    expect(content).toMatchObject({ text: 'Error (INTERNAL): a\\nError (NONE): forged^[[2J\\u{202e}' });
  });
});
