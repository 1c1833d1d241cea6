import { describe, expect, it } from 'vitest';
import { conversationWorld } from '../../../test/support/conversation-world.js';
import { HoldfastError } from '../../foundation/index.js';
import type { Conversation } from '../../sessions/conversation/index.js';
import { chatStart } from './chat-start.js';

class Gone extends HoldfastError<'SESSION_NOT_FOUND'> {
  readonly code = 'SESSION_NOT_FOUND';
}

/** The record of the only process there is; none if it was cleaned up. */
function processes(launch?: { model: string | null; permissions: string }) {
  return () => ({
    get() {
      if (launch === undefined) throw new Gone('it was cleaned');
      return { launch } as never;
    },
  });
}

async function talked(act: (conversation: Conversation) => void = () => {}) {
  const world = await conversationWorld();
  const conversation = await world.sessions.create({ id: 'talk', agent: 'claude' });
  act(conversation);
  return {
    conversation,
    async [Symbol.asyncDispose]() {
      conversation[Symbol.dispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

const launch = { agent: 'claude', model: 'large', permissions: 'ask', workingDirectory: '/p' } as const;

describe('how a chat starts', () => {
  it('is as requested if nothing was said before', () => {
    expect(chatStart(processes(), { agent: 'codex' }, undefined)).toEqual({
      agent: 'codex',
      model: undefined,
      permissions: 'edits',
      notes: [],
    });
  });

  it('is as before, except for what is said now', async () => {
    await using one = await talked((conversation) => conversation.noteLaunch(launch));
    expect(chatStart(processes(), {}, one.conversation)).toMatchObject({
      agent: 'claude',
      model: 'large',
      permissions: 'ask',
    });
    expect(chatStart(processes(), { permissions: 'edits' }, one.conversation)).toMatchObject({
      model: 'large',
      permissions: 'edits',
    });
  });

  it('takes no model along to another agent', async () => {
    await using one = await talked((conversation) => conversation.noteLaunch(launch));
    expect(chatStart(processes(), { agent: 'codex' }, one.conversation).model).toBeUndefined();
  });

  it('keeps `bypass` only if it is typed again, and says so', async () => {
    await using one = await talked((conversation) =>
      conversation.noteLaunch({ ...launch, permissions: 'bypass' }),
    );
    const again = chatStart(processes(), {}, one.conversation);
    expect([again.permissions, again.notes]).toEqual(['edits', [expect.stringContaining('bypass')]]);
    const typed = chatStart(processes(), { permissions: 'bypass' }, one.conversation);
    expect([typed.permissions, typed.notes]).toEqual(['bypass', []]);
  });

  it('is found in the process record for a conversation of release 0.1, while that exists', async () => {
    await using one = await talked((conversation) => {
      conversation.addUserTurn('hello');
      conversation.noteAgent({ driver: 'claude', resumeId: 'abc', processId: 'ses_1' });
    });
    const known = processes({ model: 'small', permissions: 'ask' });
    expect(chatStart(known, {}, one.conversation)).toMatchObject({ model: 'small', permissions: 'ask' });
    expect(chatStart(processes(), {}, one.conversation)).toMatchObject({
      agent: 'claude',
      model: undefined,
      permissions: 'edits',
    });
  });
});
