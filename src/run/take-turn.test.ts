import { describe, expect, it } from 'vitest';
import { conversationWorld } from '../../test/support/conversation-world.js';
import { FailingFileSystem } from '../../test/support/failing-file-system.js';
import { playedLaunch } from '../../test/support/night-world.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { verifies } from '../../test/support/verifies.js';
import type { AgentEvent } from '../agents/index.js';
import { ProcessSessions } from '../sessions/process/index.js';
import { type Continuation, TurnTaker } from './take-turn.js';

const COMPLETED: AgentEvent = { type: 'turn-end', reason: 'completed', message: null };

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
  verifies('C02', 'is told as ended only after the answer is on disk and synced', async () => {
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

  verifies('C02', 'whose answer cannot be kept is not told as completed', async () => {
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
      { how: 'replayed', reason: 'no conversation of the agent itself is noted in it' },
    ]);
  });
});
