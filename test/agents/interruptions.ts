import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AgentConnection } from '../../src/agents/driver.js';
import { systemClock } from '../../src/foundation/index.js';
import { converse, eventually, Following } from '../support/agents.js';
import type { Habits } from './habits.js';
import type { RealAgent } from './real-agents.js';
import { itDrives, type Stage } from './stage.js';

const MINUTE_MS = 60_000;
/** Begins to answer and does not end. */
const STALLS = {
  text: 'This is an answer that takes its time.',
  chunkChars: 8,
  fault: { type: 'stall' },
} as const;
/** Runs a command that does not end; it does not begin with `sleep`, because Claude Code refuses that. */
const HANGS = {
  toolCalls: [{ action: 'bash', command: 'touch "{{cwd}}/started"; tail -f /dev/null' }],
} as const;

/** Turns that do not get to their end. */
export function describeInterruptions(agent: RealAgent, habits: Habits): void {
  itDrives(agent, 'goes on after a cancelled answer', [STALLS], async (stage) => {
    const connection = await stage.start();
    const turn = await stalled(stage, connection, 'the first prompt');
    await connection.cancel();
    expect((await turn.end()).reason).toBe('cancelled');
    await expectToKnow(stage, connection, habits.forgetsCancelledAnswer ? [] : ['the first prompt']);
  });

  itDrives(agent, 'goes on after a cancelled command', [HANGS, { text: 'Well.' }], async (stage) => {
    const connection = await stage.start();
    const turn = await hanging(stage, connection, 'the first prompt');
    await connection.cancel();
    expect((await turn.end()).reason).toBe('cancelled');
    await expectToKnow(stage, connection, ['the first prompt']);
  });

  itDrives(
    agent,
    'is resumed after kill -9 in an answer, and knows what was said',
    [{ text: 'The first answer.' }, STALLS],
    async (stage) => {
      const connection = await stage.start();
      expect((await converse(connection, 'the first prompt')).reason).toBe('completed');
      const turn = await stalled(stage, connection, 'the second prompt');
      // Claude Code begins to answer up to 0.2 s before it writes down what it was asked.
      await eventually(() => stage.hasRecorded('the second prompt'));
      await kill(stage, connection);
      expect((await turn.end()).reason).toBe('died');
      await resume(stage, connection, habits, ['the first prompt', 'The first answer.', 'the second prompt']);
    },
  );

  itDrives(
    agent,
    'is resumed after kill -9 in a command, of which nothing is left',
    [{ text: 'The first answer.' }, HANGS, { text: 'Well.' }],
    async (stage) => {
      const connection = await stage.start();
      expect((await converse(connection, 'the first prompt')).reason).toBe('completed');
      const turn = await hanging(stage, connection, 'the second prompt');
      await eventually(() => stage.hasRecorded('the second prompt'));
      await kill(stage, connection);
      expect((await turn.end()).reason).toBe('died');
      await connection.end();
      expect(stage.world.alive()).toEqual([]);
      await resume(stage, connection, habits, ['the first prompt', 'The first answer.', 'the second prompt']);
    },
  );

  itDrives(agent, 'leaves nothing when it is ended in a command', [HANGS], async (stage) => {
    const connection = await stage.start();
    const turn = await hanging(stage, connection, 'go');
    await connection.end();
    expect((await turn.end()).reason).toBe('cancelled');
    expect(stage.world.alive()).toEqual([]);
  });

  itDrives(
    agent,
    'does not go on with a conversation that it does not know',
    [{ text: 'What?' }],
    async (stage) => {
      const handle = { driver: agent.driver.name, id: '00000000-0000-4000-8000-000000000000' };
      const opening = stage.start({ resume: handle }).then((connection) => converse(connection, 'go on'));
      const outcome = await opening.then(
        ({ reason }) => reason,
        (error: { code?: string }) => error.code,
      );
      expect(outcome).toBe(agent.driver.name === 'claude' ? 'failed' : 'AGENT_NOT_STARTED');
      expect(stage.model.requests()).toEqual([]);
    },
  );
}

/** A turn in the middle of its answer. */
async function stalled(stage: Stage, connection: AgentConnection, prompt: string): Promise<Following> {
  const turn = new Following(connection.prompt(prompt));
  if (connection.capabilities.streamsText) await turn.until('text');
  else await eventually(() => stage.model.requests().at(-1)?.fault === 'stall');
  return turn;
}

/** A turn in the middle of a command. */
async function hanging(stage: Stage, connection: AgentConnection, prompt: string): Promise<Following> {
  const turn = new Following(connection.prompt(prompt));
  await turn.until('tool-call');
  await eventually(() => existsSync(join(stage.world.workingDirectory, 'started')));
  return turn;
}

async function kill({ world }: Stage, { pid }: AgentConnection): Promise<void> {
  expect(world.alive().map((entry) => entry.pid)).toContain(pid);
  process.kill(pid ?? Number.NaN, 'SIGKILL');
}

/** Goes on with the conversation of an agent that died, in a new process. */
async function resume(
  stage: Stage,
  { resumeHandle }: AgentConnection,
  { resumesFromNextMinute }: Habits,
  words: readonly string[],
): Promise<void> {
  if (resumeHandle === null) throw new Error('it cannot be resumed');
  if (resumesFromNextMinute) await systemClock.sleep(MINUTE_MS - (Date.now() % MINUTE_MS) + 100);
  const resumed = await stage.start({ resume: resumeHandle });
  await expectToKnow(stage, resumed, words);
  expect(resumed.resumeHandle).toEqual(resumeHandle);
}

/** One more prompt is answered, and what was said before went to the model with it. */
async function expectToKnow(
  { model }: Stage,
  connection: AgentConnection,
  words: readonly string[],
): Promise<void> {
  const turn = await converse(connection, 'the last prompt');
  expect(turn.reason, JSON.stringify(turn.events)).toBe('completed');
  expect(turn.text).not.toBe('');
  expect(
    model
      .requests()
      .at(-1)
      ?.lacks([...words, 'the last prompt']),
  ).toEqual([]);
}
