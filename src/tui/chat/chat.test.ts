import { describe, expect, it } from 'vitest';
import { chatWorld, type Play } from '../../../test/support/chat-world.js';
import type { AgentEvent } from '../../agents/index.js';
import { describeContinuation, firstLines } from './chat.js';

const COMPLETED: AgentEvent = { type: 'turn-end', reason: 'completed', message: null };

const answers: Play = async function* (prompt) {
  yield { type: 'text', text: `heard ${prompt}` };
  yield COMPLETED;
};
const failsWith = (reason: 'failed' | 'refused' | 'died', message: string): Play =>
  async function* () {
    yield { type: 'turn-end', reason, message };
  };

/** The records of the conversation as `type: what matters`. */
function kept(world: Awaited<ReturnType<typeof chatWorld>>, agent = 'ada'): unknown[] {
  return world.world
    .records(`with-${agent}`)
    .filter(({ type }) => type === 'turn' || type === 'status')
    .map((record) => (record.type === 'turn' ? record.content : [record.status, record.reason ?? null]));
}

describe('a message in a chat', () => {
  it('goes to the agent, is shown as it arrives, and is kept with its answer', async () => {
    await using world = await chatWorld(answers);
    expect(await world.chat.handle('hello')).toBe(true);
    expect(world.shown).toEqual([
      'working',
      'event: heard hello',
      'event: turn-end',
      'idle',
      expect.stringMatching(/^note: context \d+ % full$/),
    ]);
    expect(kept(world)).toEqual(['hello', 'heard hello']);
    await world.chat.close('completed');
    expect(kept(world).at(-1)).toEqual(['completed', null]);
  });

  it('that begins with two slashes is sent with one', async () => {
    await using world = await chatWorld(answers);
    await world.chat.handle('//etc/hosts is what?');
    expect(world.prompts).toEqual(['/etc/hosts is what?']);
    await world.chat.close('completed');
  });

  it('says why it was not answered, and the conversation is interrupted for that reason', async () => {
    await using world = await chatWorld(failsWith('failed', 'no more room'));
    await world.chat.handle('hello');
    expect(world.shown).toContain('warn: The turn ended: failed: no more room');
    expect(world.chat.isWorking).toBe(false);
    await world.chat.close('completed');
    expect(kept(world).at(-1)).toEqual(['interrupted', 'no more room']);
  });

  it('that was answered in the end closes the conversation as completed', async () => {
    let turn = 0;
    await using world = await chatWorld((prompt) =>
      turn++ === 0 ? failsWith('failed', 'once')(prompt) : answers(prompt),
    );
    await world.chat.handle('first');
    await world.chat.handle('second');
    await world.chat.close('completed');
    expect(kept(world).at(-1)).toEqual(['completed', null]);
  });

  it('that makes the agent throw shows the error, and the chat continues', async () => {
    await using world = await chatWorld(async function* () {
      yield { type: 'text', text: 'half' };
      throw new Error('the line is cut');
    });
    expect(await world.chat.handle('hello')).toBe(true);
    expect(world.shown.some((line) => line.startsWith('warn: ') && line.includes('the line is cut'))).toBe(
      true,
    );
    expect(world.chat.isWorking).toBe(false);
    await world.chat.close('completed');
    expect(kept(world).at(-1)).toEqual(['interrupted', expect.stringContaining('the line is cut')]);
  });

  it('that is cancelled is not a failure: the chat returns to its prompt and ends as completed', async () => {
    let letGo = () => {};
    const cancelled = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await using world = await chatWorld(async function* () {
      yield { type: 'text', text: 'I wait' };
      await cancelled;
      yield { type: 'turn-end', reason: 'cancelled', message: null };
    });
    const taken = world.chat.handle('hello');
    expect(world.chat.isWorking).toBe(true);
    world.chat.cancel();
    letGo();
    await taken;
    expect(world.shown).toContain('note: Interrupted. Returning to prompt.');
    await world.chat.close('completed');
    expect(kept(world).at(-1)).toEqual(['completed', null]);
  });

  it('warns when the context is nearly full', async () => {
    let used = 0;
    await using world = await chatWorld(async function* () {
      yield { type: 'text', text: `Context: ${used} %` };
      yield COMPLETED;
    });
    const told: (string | undefined)[] = [];
    for (used of [50, 80, 95]) {
      await world.chat.handle('go');
      told.push(world.shown.at(-1));
    }
    expect(told).toEqual([
      'note: context 50 % full',
      'warn: context 80 % full: /clear makes room.',
      'warn: context 95 % full: about one more turn fits. /clear makes room.',
    ]);
    await world.chat.close('completed');
  });
});

describe('a command in a chat', () => {
  it('that is unknown or incomplete is reported, and nothing goes to the agent', async () => {
    await using world = await chatWorld(answers);
    for (const line of ['/nope', '/agent', '/export', '/history 0'])
      expect(await world.chat.handle(line)).toBe(true);
    expect(world.shown.map((line) => line.split(':')[0])).toEqual(['warn', 'warn', 'warn', 'warn']);
    expect(world.prompts).toEqual([]);
    await world.chat.close('completed');
  });

  it('/exit leaves', async () => {
    await using world = await chatWorld(answers);
    expect(await world.chat.handle('/exit')).toBe(false);
    expect(await world.chat.handle('/quit')).toBe(false);
    await world.chat.close('completed');
  });

  it('/save and /export never overwrite a file, and a generated name is always free', async () => {
    await using world = await chatWorld(answers);
    await world.chat.handle('hello');
    world.files.set('talk.json', 'mine');
    await world.chat.handle('/export talk.json');
    expect(world.shown.at(-1)).toMatch(/^warn: talk\.json already exists: nothing was written/);
    expect(world.files.get('talk.json')).toBe('mine');
    await world.chat.handle('/save');
    await world.chat.handle('/save');
    expect([...world.files.keys()]).toEqual(['talk.json', 'with-ada.md', 'with-ada-2.md']);
    expect(world.files.get('with-ada.md')).toContain('heard hello');
    await world.chat.close('completed');
  });

  it('/export and /import carry the turns into another conversation and pass them to the agent', async () => {
    await using world = await chatWorld(answers);
    await world.chat.handle('hello');
    await world.chat.handle('/export talk.json');
    await world.chat.handle('/agent bob');
    expect(world.shown.at(-1)).toBe('note: A new conversation with bob: with-bob');
    expect(kept(world).at(-1)).toEqual(['completed', 'went on with bob']);
    await world.chat.handle('/import talk.json');
    expect(world.shown.at(-1)).toBe('note: Imported 2 turns; the agent gets them with your next message.');
    await world.chat.handle('and now?');
    expect(world.prompts.at(-1)).toMatch(/hello[\s\S]*heard hello[\s\S]*and now\?$/);
    await world.chat.close('completed');
  });

  it('/import of a file that is not an export is reported, and the chat continues', async () => {
    await using world = await chatWorld(answers);
    world.files.set('bad.json', '{');
    expect(await world.chat.handle('/import bad.json')).toBe(true);
    expect(world.shown.at(-1)).toMatch(/^(warn|note): /);
    await world.chat.handle('hello');
    expect(kept(world)).toEqual(['hello', 'heard hello']);
    await world.chat.close('completed');
  });

  it('/clear makes the agent forget, and the file keeps everything', async () => {
    await using world = await chatWorld(answers);
    await world.chat.handle('hello');
    await world.chat.handle('/clear');
    await world.chat.handle('/stats');
    expect(world.shown.at(-1)).toContain('turns    2 (0 in the context)');
    await world.chat.handle('again');
    expect(world.prompts.at(-1)).toBe('again');
    expect(kept(world)).toEqual(['hello', 'heard hello', 'again', 'heard again']);
    await world.chat.close('completed');
  });

  it('/history shows the last turns by number, and says that a message failed', async () => {
    let turn = 0;
    await using world = await chatWorld((prompt) =>
      turn++ === 1 ? failsWith('died', 'gone')(prompt) : answers(prompt),
    );
    await world.chat.handle('/history');
    expect(world.shown).toEqual(['say: Nothing was said yet.']);
    await world.chat.handle('one');
    await world.chat.handle('two');
    await world.chat.handle('/history 1');
    expect(world.shown.at(-1)).toMatch(/^say: 3\. \S+ user \(failed\): two$/);
    await world.chat.close('completed');
  });
});

describe('leaving a chat', () => {
  it('on a signal interrupts the conversation and says so', async () => {
    await using world = await chatWorld(answers);
    await world.chat.handle('hello');
    await world.chat.leave(AbortSignal.abort());
    expect(kept(world).at(-1)).toEqual(['interrupted', 'stopped by a signal']);
  });
});

describe('the words of a chat', () => {
  it('say how an agent knows what was said', () => {
    expect(describeContinuation({ how: 'new' })).toBeUndefined();
    expect(describeContinuation({ how: 'resumed' })).toBe("Goes on in the agent's own conversation.");
    expect(describeContinuation({ how: 'replayed', reason: 'it \x1b[31mforgot' })).toMatch(
      /^The agent is told again what was said \(it .*forgot\)\.$/,
    );
    expect(describeContinuation({ how: 'replayed', reason: '\x1b[31m' })).not.toContain('\x1b');
  });

  it('cut long texts, and say how much is missing', () => {
    expect(firstLines('a\nb\nc\nd', 2, 'more there')).toEqual(['a', 'b', '… 2 more lines (more there)']);
    expect(firstLines('a\nb', 2, 'more there')).toEqual(['a', 'b']);
  });
});
