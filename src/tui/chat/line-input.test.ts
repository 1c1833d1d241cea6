import { describe, expect, it } from 'vitest';
import { typedInput } from '../../../test/support/chat-world.js';

const ENTER = '\r';
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const CTRL_L = '\x0c';
const UP = '\x1b[A';
const DOWN = '\x1b[B';

const never = new AbortController().signal;

describe('the line editor of the chat', () => {
  it('gives a message when Enter is pressed, and nothing for an empty line', async () => {
    using typed = typedInput();
    const asked = typed.input.ask('you> ');
    typed.terminal.type(`${ENTER}  ${ENTER}\b\bhello${ENTER}`);
    expect(await asked).toEqual({ type: 'message', text: 'hello' });
    expect(typed.terminal.look()).toContain('you> hello');
  });

  it('continues in the next line after a backslash', async () => {
    using typed = typedInput();
    const asked = typed.input.ask('you> ');
    typed.terminal.type(`one\\${ENTER}two${ENTER}`);
    expect(await asked).toEqual({ type: 'message', text: 'one\ntwo' });
  });

  it('keeps what is typed while no prompt is open: each Enter finishes a separate message', async () => {
    using typed = typedInput();
    typed.terminal.type(`one${ENTER}${ENTER}two${ENTER}thr`);
    expect(typed.told).toEqual(['queued one', 'queued two']);
    expect(typed.terminal.look()).toBe('');
    expect(await typed.input.ask('you> ')).toEqual({ type: 'message', text: 'one' });
    expect(await typed.input.ask('you> ')).toEqual({ type: 'message', text: 'two' });
    const third = typed.input.ask('you> ');
    typed.terminal.type(`ee${ENTER}`);
    expect(await third).toEqual({ type: 'message', text: 'three' });
  });

  it('drops queued messages when Ctrl+C is pressed during a turn, and says how many', async () => {
    using typed = typedInput();
    typed.terminal.type(`one${ENTER}two${ENTER}${CTRL_C}`);
    expect(typed.told).toEqual(['queued one', 'queued two', 'dropped 2', 'interrupt']);
    const asked = typed.input.ask('you> ');
    typed.terminal.type(`${UP}${ENTER}`);
    expect(await asked, 'the history has them still').toEqual({ type: 'message', text: 'two' });
  });

  it('empties a line with Ctrl+C, and an empty one ends the question', async () => {
    using typed = typedInput();
    const asked = typed.input.ask('you> ');
    typed.terminal.type(`never mind${CTRL_C}`);
    typed.terminal.type(CTRL_C);
    expect(await asked).toEqual({ type: 'interrupt' });
    expect(typed.told).toEqual([]);
  });

  it('takes Ctrl+D as the end only in an empty line', async () => {
    using typed = typedInput();
    const asked = typed.input.ask('you> ');
    typed.terminal.type(`x${CTRL_D}${ENTER}`);
    expect(await asked).toEqual({ type: 'message', text: 'x' });
    const next = typed.input.ask('you> ');
    typed.terminal.type(CTRL_D);
    expect(await next).toEqual({ type: 'end' });
  });

  it('steps through the history, and back to what is being written', async () => {
    using typed = typedInput();
    for (const message of ['one', 'one', 'two']) typed.input.remember([message]);
    const asked = typed.input.ask('you> ');
    typed.terminal.type(`new${UP}${UP}`);
    typed.terminal.look();
    typed.terminal.type(UP);
    expect(typed.terminal.look(), 'nothing is older').toBe('');
    typed.terminal.type(`${DOWN}${DOWN}!${ENTER}`);
    expect(await asked).toEqual({ type: 'message', text: 'new!' });
  });

  it('writes above what is being typed, which stays', async () => {
    using typed = typedInput();
    const asked = typed.input.ask('you> ');
    typed.terminal.type('hel');
    typed.terminal.look();
    typed.input.writeAbove('something happened\n');
    expect(typed.terminal.look()).toBe('something happened\nyou> hel');
    typed.terminal.type(`lo${ENTER}`);
    expect(await asked).toEqual({ type: 'message', text: 'hello' });
    typed.terminal.look();
    typed.input.writeAbove('as it is\n');
    expect(typed.terminal.look(), 'nothing is asked').toBe('as it is\n');
  });

  it('redraws its line on a cleared and on a resized screen', async () => {
    using typed = typedInput();
    const asked = typed.input.ask('you> ');
    typed.terminal.type('abc');
    for (const happens of [() => typed.terminal.type(CTRL_L), () => typed.terminal.stdout.emit('resize')]) {
      typed.terminal.look();
      happens();
      expect(typed.terminal.look()).toBe('you> abc');
    }
    typed.terminal.type(ENTER);
    await asked;
  });

  it('ends with its terminal, and gives it back', async () => {
    const typed = typedInput();
    expect(typed.terminal.isRaw).toBe(true);
    const asked = typed.input.ask('you> ');
    typed.terminal.stdin.emit('end');
    expect(await asked).toEqual({ type: 'end' });
    typed.input[Symbol.dispose]();
    expect(typed.terminal.isRaw).toBe(false);
    expect(typed.terminal.written).toContain('\x1b[?2004l');
    expect(await typed.input.ask('you> ')).toEqual({ type: 'end' });
  });
});

describe('an aside', () => {
  it('begins with an empty line whatever was typed before, and restores that afterwards', async () => {
    using typed = typedInput();
    typed.terminal.type('1');
    const aside = typed.input.askAside('answer> ', { signal: never });
    typed.terminal.type(`d${ENTER}`);
    expect(await aside).toEqual({ type: 'message', text: 'd' });
    const asked = typed.input.ask('you> ');
    expect(typed.terminal.look()).toMatch(/you> 1$/);
    typed.terminal.type(ENTER);
    expect(await asked).toEqual({ type: 'message', text: '1' });
  });

  it('takes an empty line only if that is an answer, and leaves no trace in the history', async () => {
    using typed = typedInput();
    const strict = typed.input.askAside('answer> ', { signal: never });
    typed.terminal.type(`${ENTER}yes${ENTER}`);
    expect(await strict).toEqual({ type: 'message', text: 'yes' });
    const lax = typed.input.askAside('why> ', { signal: never, canBeEmpty: true });
    typed.terminal.type(ENTER);
    expect(await lax).toEqual({ type: 'message', text: '' });
    const asked = typed.input.ask('you> ');
    typed.terminal.type(`${UP}none${ENTER}`);
    expect(await asked).toEqual({ type: 'message', text: 'none' });
  });

  it('is withdrawn by its signal, before and while it is asked', async () => {
    using typed = typedInput();
    expect(await typed.input.askAside('answer> ', { signal: AbortSignal.abort() })).toEqual({
      type: 'withdrawn',
    });
    typed.terminal.type('kept');
    const over = new AbortController();
    const aside = typed.input.askAside('answer> ', { signal: over.signal });
    typed.terminal.type('half');
    over.abort();
    expect(await aside).toEqual({ type: 'withdrawn' });
    const asked = typed.input.ask('you> ');
    typed.terminal.type(ENTER);
    expect(await asked).toEqual({ type: 'message', text: 'kept' });
  });
});
