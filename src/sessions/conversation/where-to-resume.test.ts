import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conversationWorld } from '../../../test/support/conversation-world.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { isSameProject, placeConversation } from './where-to-resume.js';

/** A conversation that belongs to one directory, and a person in another. */
async function resuming(names: { readonly noted: string | undefined; readonly here: string }) {
  const world = await conversationWorld();
  const at = (name: string) => world.dir.at(name);
  for (const name of ['one', 'one/deep', 'two']) mkdirSync(at(name), { recursive: true });
  execFileSync('git', ['init', '-q', at('one')]);
  symlinkSync(at('two'), at('link'));
  const conversation = await world.sessions.create({
    id: 'talk',
    agent: 'qa',
    ...(names.noted === undefined ? {} : { workingDirectory: at(names.noted) }),
  });
  const here = { tools: storageTools({ command: 'holdfast chat' }), workingDirectory: at(names.here) };
  return {
    at,
    conversation,
    here,
    place: (isHere = false) => placeConversation(here, conversation, { isHere }),
    async [Symbol.asyncDispose]() {
      conversation[Symbol.dispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

describe('where a conversation may be resumed', () => {
  it('is where it belongs, by whatever name', async () => {
    await using same = await resuming({ noted: 'two', here: 'two' });
    expect(same.place()).toEqual({ workingDirectory: same.at('two'), notes: [] });
    await using linked = await resuming({ noted: 'two', here: 'link' });
    expect(linked.place()).toEqual({ workingDirectory: linked.at('two'), notes: [] });
  });

  it('is anywhere in the same repository, but the agent works where it began', async () => {
    await using one = await resuming({ noted: 'one/deep', here: 'one' });
    expect(one.place()).toEqual({
      workingDirectory: one.at('one/deep'),
      notes: [`Begun in ${one.at('one/deep')} (same project); the agent works there.`],
    });
  });

  it('is not in another project, unless a person moves it', async () => {
    await using one = await resuming({ noted: 'one', here: 'two' });
    expect(() => one.place()).toThrow(
      expect.objectContaining({
        code: 'CONVERSATION_ELSEWHERE',
        directory: one.at('one'),
        hint: expect.stringContaining("/one' && holdfast chat --resume talk\n"),
      }),
    );
    expect(one.place(true)).toEqual({
      workingDirectory: one.at('two'),
      notes: [`Moved here from ${one.at('one')}.`],
    });
  });

  it('is only here once its directory is gone', async () => {
    await using one = await resuming({ noted: 'one', here: 'two' });
    rmSync(one.at('one'), { recursive: true });
    expect(() => one.place()).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('holdfast chat --resume talk --here') }),
    );
  });

  it('is here, from now on, if no directory was noted', async () => {
    await using one = await resuming({ noted: undefined, here: 'two' });
    expect(one.place()).toMatchObject({
      workingDirectory: one.at('two'),
      notes: [expect.stringContaining('belongs to this one from now on')],
    });
    expect(isSameProject(one.here, null)).toBe(false);
  });
});
