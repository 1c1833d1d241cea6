import { describe, expect, it } from 'vitest';
import { conversationWorld } from '../../../test/support/conversation-world.js';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { playedLaunch } from '../../../test/support/night-world.js';
import { RecordingLog } from '../../../test/support/recording-log.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import {
  COMPLETED,
  ended,
  type Scripted,
  says,
  type TurnWorldOptions,
  turnWorld,
  used,
} from '../../../test/support/turn-world.js';
import { verifies } from '../../../test/support/verifies.js';
import type { AgentEvent } from '../../agents/index.js';
import { ProcessSessions } from '../../sessions/process/index.js';
import { type Continuation, TurnTaker } from './take-turn.js';

/** A conversation with an agent that says these things and is done. */
async function talking(
  play: () => AsyncGenerator<AgentEvent>,
  onContinuation?: (continuation: Continuation) => void,
) {
  const world = await conversationWorld();
  const fileSystem = new FailingFileSystem();
  const conversation = await world.other({ fileSystem }).create({ id: 'talk', agent: 'played' });
  const log = new RecordingLog();
  const taker = new TurnTaker({
    processes: new ProcessSessions(storageTools()),
    conversation,
    launch: playedLaunch('played', world.base, play),
    log,
    onContinuation,
  });
  return {
    world,
    fileSystem,
    conversation,
    taker,
    log,
    async [Symbol.asyncDispose]() {
      await taker.end();
      conversation[Symbol.dispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

async function* saysYes(): AsyncGenerator<AgentEvent> {
  yield { type: 'text', text: 'yes' };
  yield COMPLETED;
}

describe('an exchange', () => {
  verifies('C02', 'is reported as ended only after the answer is on disk and synced', async () => {
    await using talk = await talking(saysYes);
    const { world, fileSystem } = talk;
    const told: string[] = [];
    await talk.taker.take('hello', {
      onEvent: (event) => {
        const { type, content } = world.records('talk').at(-1) ?? {};
        const lastCall = fileSystem.calls
          .filter(({ name }) => name === 'write' || name === 'syncData')
          .at(-1);
        told.push(`${event.type}: ${type} ${content}, ${lastCall?.name}`);
      },
    });
    expect(told).toEqual(['text: agent undefined, syncData', 'turn-end: turn yes, syncData']);
  });

  verifies('C02', 'whose answer cannot be stored is not reported as completed', async () => {
    await using talk = await talking(saysYes);
    const told: AgentEvent[] = [];
    const taken = talk.taker.take('hello', {
      onEvent: (event) => {
        told.push(event);
        if (event.type === 'text')
          talk.fileSystem.arm({ fault: 'EIO', at: 1, isLasting: true, only: ['write'] });
      },
    });
    await expect(taken).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    talk.fileSystem.arm(undefined);
    expect(told).toEqual([
      { type: 'text', text: 'yes' },
      { type: 'turn-end', reason: 'failed', message: expect.stringContaining('talk.jsonl') },
    ]);
    expect(talk.log.events).toContainEqual(expect.objectContaining({ event: 'turn.not-marked' }));
  });

  it('that is told again says why, and does not blame the agent', async () => {
    const continuations: Continuation[] = [];
    await using talk = await talking(saysYes, (continuation) => continuations.push(continuation));
    talk.conversation.importTurns([{ role: 'user', content: 'said elsewhere' }]);
    await talk.taker.take('hello');
    expect(continuations).toEqual([
      { how: 'replayed', reason: 'it records no conversation of the agent itself' },
    ]);
  });
});

/** A scripted agent, and every report of how it came to know what was said before. */
async function scripted(turns: readonly Scripted[], options: TurnWorldOptions = {}) {
  const continuations: Continuation[] = [];
  const onContinuation = (continuation: Continuation) => void continuations.push(continuation);
  const world = await turnWorld({ ...options, turns, taker: { onContinuation, ...options.taker } });
  return { ...world, continuations };
}

const turnsOf = ({ conversation }: Pick<Awaited<ReturnType<typeof scripted>>, 'conversation'>) =>
  conversation.view.turns.map(({ role, content, failure }) => [role, content, failure]);
const TEXT: AgentEvent = { type: 'text', text: 'partly' };

describe('a turn', () => {
  it('of the person is on disk before the agent is even started, and before it is sent', async () => {
    await using talk = await scripted([says('yes')]);
    await talk.taker.take('hello', { onEvent: ({ type }) => void talk.trace.push(`told: ${type}`) });
    expect(talk.trace).toEqual([
      'conversation: turn user',
      'conversation: agent',
      'prompt',
      'told: text',
      'conversation: turn assistant',
      'told: turn-end',
    ]);
  });

  it.each([
    ['partly', [TEXT, ended('failed', 'too hot')], ['assistant', 'partly', 'failed: too hot']],
    ['not at all', [ended('failed', 'too hot')], undefined],
  ] satisfies [string, AgentEvent[], unknown][])(
    'that was answered %s is marked as failed, with what was said, and left out of later contexts',
    async (_how, events, assistant) => {
      await using talk = await scripted([{ events }]);
      const outcome = await talk.taker.take('hello');
      expect(outcome.response.reason).toBe('failed');
      expect(turnsOf(talk)).toEqual([
        ['user', 'hello', 'failed: too hot'],
        ...(assistant === undefined ? [] : [assistant]),
      ]);
      expect(talk.conversation.context).toEqual([]);
      expect(outcome.assistant === null).toBe(assistant === undefined);
    },
  );

  it('that was answered with nothing, and completed, has an answer', async () => {
    await using talk = await scripted([{ events: [COMPLETED] }]);
    await talk.taker.take('hello');
    expect(turnsOf(talk)).toEqual([
      ['user', 'hello', null],
      ['assistant', '', null],
    ]);
  });

  it('whose agent cannot be started is marked, and the next one starts it', async () => {
    await using talk = await scripted([says('yes')]);
    talk.startFailures.push(new Error('no such program'));
    await expect(talk.taker.take('one')).rejects.toMatchObject({ code: 'PROCESS_START_FAILED' });
    await talk.taker.take('two');
    expect(turnsOf(talk).map(([, , failure]) => failure)).toEqual([
      expect.stringContaining('no such program'),
      null,
      null,
    ]);
    expect(talk.prompts).toEqual(['two']);
  });

  it('that is cancelled keeps what was said until then', async () => {
    const stop = new AbortController();
    await using talk = await scripted([{ before: [TEXT], during: () => stop.abort(), hangs: true }]);
    const { response } = await talk.taker.take('hello', { signal: stop.signal });
    expect(response.reason).toBe('cancelled');
    expect(turnsOf(talk)).toEqual([
      ['user', 'hello', 'cancelled'],
      ['assistant', 'partly', 'cancelled'],
    ]);
  });

  it('that is cancelled while the agent starts does not start a second one', async () => {
    const stop = new AbortController();
    await using talk = await scripted([says('yes'), says('again')]);
    await talk.taker.take('one');
    const other = talk.otherTaker();
    talk.startFailures.push(new Error('called off'));
    stop.abort();
    await expect(other.take('two', { signal: stop.signal })).rejects.toMatchObject({
      code: 'PROCESS_START_FAILED',
    });
    expect(talk.starts).toHaveLength(2);
    expect(talk.prompts).toEqual(['one']);
  });
});

describe('what an exchange used', () => {
  it('is written down reply by reply, as soon as it is known', async () => {
    await using talk = await scripted([{ before: [used(5), used(6)], events: [TEXT, COMPLETED] }]);
    const known: number[] = [];
    await talk.taker.take('hello', { onEvent: () => void known.push(talk.conversation.usage.length) });
    expect(known).toEqual([1, 2, 2, 2]);
    expect(talk.conversation.usage).toMatchObject([
      { turn: 1, outputTokens: 5, source: 'reported' },
      { turn: 1, outputTokens: 6, source: 'reported' },
    ]);
  });

  it.each([
    ['is estimated where an agent that should tell did not', [TEXT, COMPLETED], 1],
    ['is nothing where the agent did nothing', [ended('failed', 'no')], 0],
  ] satisfies [string, AgentEvent[], number][])('%s', async (_how, events, records) => {
    await using talk = await scripted([{ events }], { launch: { reportsUsage: true } });
    await talk.taker.take('a prompt of some length');
    expect(talk.conversation.usage.map(({ source }) => source)).toEqual(Array(records).fill('estimated'));
  });

  it('of an agent that died is looked up in its own transcript, beyond what it had reported', async () => {
    const replies = [
      {
        reply: null,
        at: new Date(),
        model: null,
        tokens: { inputTokens: 0, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 },
        costUsd: null,
      },
    ];
    await using talk = await scripted([{ before: [used(5)], events: [TEXT, ended('died', 'killed')] }], {
      launch: { readReplies: async () => replies },
    });
    await talk.taker.take('hello');
    expect(talk.conversation.usage).toMatchObject([
      { outputTokens: 5, source: 'reported' },
      { outputTokens: 4, source: 'transcript' },
    ]);
  });

  it('for a prompt whose sender died is settled once, and for no other', async () => {
    await using talk = await scripted([], { launch: { reportsUsage: true } });
    await talk.taker.settleUsage();
    expect(talk.conversation.usage).toEqual([]);
    talk.conversation.addUserTurn('sent before the crash');
    await talk.taker.settleUsage();
    await talk.taker.settleUsage();
    expect(talk.conversation.usage).toMatchObject([{ turn: 1, source: 'estimated' }]);
    talk.conversation.markFailed({ turn: 1 }, 'interrupted');
    await talk.taker.settleUsage();
    expect(talk.conversation.usage).toHaveLength(1);
  });
});

describe("the agent's own conversation", () => {
  /** One exchange with an agent, then another taker for the same conversation, as after a restart of ours. */
  async function restarted(turns: readonly Scripted[], options: TurnWorldOptions = {}) {
    const talk = await scripted([says('yes'), ...turns], options);
    await talk.taker.take('one');
    await talk.taker.end();
    talk.continuations.length = 0;
    const onContinuation = (continuation: Continuation) => void talk.continuations.push(continuation);
    return { ...talk, other: talk.otherTaker({ onContinuation }) };
  }
  const said = { how: 'replayed', reason: expect.any(String) };

  it('is new at first, and is noted before anything about it is reported', async () => {
    await using talk = await scripted([says('yes')]);
    const noted: unknown[] = [];
    await talk.taker.take('hello', {
      onEvent: () => void noted.push(talk.conversation.view.agentHandle?.resumeId),
    });
    expect(talk.continuations).toEqual([{ how: 'new' }]);
    expect(noted).toEqual(['own-1', 'own-1']);
    expect(talk.trace.filter((fact) => fact === 'conversation: agent')).toHaveLength(1);
  });

  it('continues with the next turn, in the same process', async () => {
    await using talk = await scripted([says('yes'), says('again')]);
    await talk.taker.take('one');
    await talk.taker.take('two');
    expect([talk.starts, talk.prompts]).toEqual([[null], ['one', 'two']]);
  });

  it('is resumed after a restart, without telling it again', async () => {
    await using talk = await restarted([says('again')]);
    await talk.other.take('two');
    expect(talk.starts).toEqual([null, { driver: 'scripted', id: 'own-1' }]);
    expect(talk.prompts).toEqual(['one', 'two']);
    expect(talk.continuations).toEqual([{ how: 'resumed' }]);
    await talk.other.end();
  });

  it('that does not start is repeated to a new one, without the prompt itself', async () => {
    await using talk = await restarted([says('again')]);
    talk.startFailures.push(new Error('no such conversation'));
    await talk.other.take('two');
    expect(talk.starts).toEqual([null, { driver: 'scripted', id: 'own-1' }, null]);
    expect(talk.continuations).toEqual([
      { how: 'replayed', reason: 'the agent did not start in its own conversation' },
    ]);
    expect(talk.prompts[1]).toMatch(/one[\s\S]*yes[\s\S]*two$/);
    expect(talk.prompts[1]?.match(/two/g)).toHaveLength(1);
    expect(talk.log.named('turn.not-resumed')).toHaveLength(1);
    await talk.other.end();
  });

  it('that turns the first prompt away is repeated, once', async () => {
    await using talk = await restarted([{ events: [ended('failed', 'unknown session')] }, says('again')]);
    const { response } = await talk.other.take('two');
    expect(response.reason).toBe('completed');
    expect(talk.prompts).toHaveLength(3);
    expect(talk.continuations).toEqual([
      { how: 'resumed' },
      {
        how: 'replayed',
        reason: 'the agent no longer knows its conversation: unknown session',
      },
    ]);
    expect(turnsOf(talk).map(([role]) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    await talk.other.end();
  });

  it.each([
    ['it said something', [TEXT, ended('failed', 'no')]],
    ['it used a tool', [toolCall(), ended('failed', 'no')]],
    ['it used tokens', [used(3), ended('failed', 'no')]],
    ['its service did not answer', [ended('failed', 'API Error: 529 overloaded')]],
    ['it refused', [ended('refused')]],
  ] satisfies [string, AgentEvent[]][])('is not sent the prompt twice if %s', async (_why, events) => {
    await using talk = await restarted([{ events }, says('again')]);
    await talk.other.take('two');
    expect(talk.prompts).toEqual(['one', 'two']);
    await talk.other.end();
  });

  it('is not sent the prompt twice once it has answered', async () => {
    await using talk = await restarted([says('again'), { events: [ended('failed', 'unknown session')] }]);
    await talk.other.take('two');
    await talk.other.take('three');
    expect(talk.prompts).toEqual(['one', 'two', 'three']);
    await talk.other.end();
  });

  it('of another kind of agent is not resumed', async () => {
    await using talk = await scripted([says('again')]);
    talk.conversation.importTurns([{ role: 'user', content: 'said elsewhere' }]);
    talk.conversation.noteAgent({ driver: 'other', resumeId: 'theirs', processId: 'x' });
    await talk.taker.take('two');
    expect(talk.starts).toEqual([null]);
    expect(talk.continuations).toEqual([
      { how: 'replayed', reason: 'it was held with another kind of agent' },
    ]);
  });

  it('that was forgotten starts afresh, with what the context has by then', async () => {
    await using talk = await scripted([says('yes'), says('again')]);
    await talk.taker.take('one');
    await talk.taker.forget();
    expect(talk.conversation.view.agentHandle?.resumeId).toBeNull();
    await talk.taker.take('two');
    expect(talk.starts).toEqual([null, null]);
    expect(talk.continuations.at(-1)).toEqual(said);
    expect(talk.prompts[1]).toContain('yes');
  });

  it('that was repeated is repeated until an answer is completed', async () => {
    await using talk = await scripted([{ events: [TEXT, ended('failed', 'no')] }, says('ok'), says('on')]);
    talk.conversation.importTurns([{ role: 'user', content: 'said elsewhere' }]);
    await talk.taker.take('one');
    await talk.taker.take('two');
    await talk.taker.take('three');
    expect(talk.prompts.map((prompt) => prompt.includes('said elsewhere'))).toEqual([true, true, false]);
  });

  it('continues in the process session that was left, if that is recorded', async () => {
    await using talk = await scripted([says('yes'), says('again')], { isKept: true });
    await talk.taker.take('one');
    const { id } = talk.taker.session ?? {};
    await talk.taker.session?.detach();
    const other = talk.otherTaker();
    await other.take('two');
    expect([other.session?.id, talk.starts.at(-1)]).toEqual([id, { driver: 'scripted', id: 'own-1' }]);
    await other.end();
  });

  it('continues in a new process session if the old one is over', async () => {
    await using talk = await restarted([says('again')], { isKept: true });
    await talk.other.take('two');
    expect(talk.other.session?.id).not.toBe(talk.taker.session?.id);
    expect(talk.starts.at(-1)).toMatchObject({ id: 'own-1' });
    await talk.other.end();
  });
});

function toolCall(): AgentEvent {
  return { type: 'tool-call', id: '1', name: 'Read', kind: 'read', title: 'a.ts', input: {} };
}
