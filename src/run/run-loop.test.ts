import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/agents.js';
import { FailingFileSystem } from '../../test/support/failing-file-system.js';
import {
  type NightOptions,
  type NightWorld,
  nightWorld,
  type PlayedTurn,
} from '../../test/support/night-world.js';
import { question } from '../../test/support/question-world.js';
import type { AgentEvent } from '../agents/index.js';
import { PRESETS } from '../sessions/loop/index.js';
import { type FileSystem, nodeFileSystem } from '../storage/index.js';
import type { RunEvent } from './journal/events.js';

const COMPLETED: AgentEvent = { type: 'turn-end', reason: 'completed', message: null };

/** A turn in which the agent writes a file and says it is not done. */
const turn = (number: number, rest: Partial<PlayedTurn> = {}): PlayedTurn => ({
  files: { [`work-${number}.txt`]: `${number}` },
  events: [{ type: 'text', text: `turn ${number}\n` }, COMPLETED],
  ...rest,
});
const SIGNAL = '---PRP_PHASE_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---';
const IDLE: PlayedTurn = { events: [{ type: 'text', text: 'nothing to do\n' }, COMPLETED] };

const world = (turns: readonly PlayedTurn[], options: Partial<NightOptions> = {}) =>
  nightWorld({ service: 'other', now: '2026-01-05T10:00:00Z', check: 'true', turns, ...options });

const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type);
const ofType = <Type extends RunEvent['type']>(events: readonly RunEvent[], type: Type) =>
  events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);

async function ask({ questions, sessionId }: NightWorld): Promise<string> {
  const { id } = await questions.create([question()], {
    asker: { agent: 'played', session: sessionId },
    isWaiting: true,
  });
  return id;
}

async function told(night: NightWorld, id: string): Promise<void> {
  await night.questions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
  using delivery = await night.questions.collect(id);
  delivery.confirm();
}

describe('a run', () => {
  it('ends at a limit, and everything that happened is in the journal, in its order', async () => {
    await using night = await world([turn(1), turn(2)], { budget: { iterations: 2 } });
    expect(await night.run()).toMatchObject({ outcome: 'limit' });
    expect(night.journal()).toEqual(night.events);
    const types = typesOf(night.events).filter((type) => !['standing', 'verify-start'].includes(type));
    expect(types).toEqual([
      'verify-end',
      'baseline',
      ...['iteration-start', 'agent', 'agent', 'verify-end', 'iteration-end'],
      ...['iteration-start', 'agent', 'agent', 'verify-end', 'iteration-end'],
    ]);
  });

  it('is halted by the breaker; a skipped phase leads to the next, and a restart continues the same journal', async () => {
    await using night = await world([IDLE, IDLE, IDLE, turn(4)]);
    expect(await night.run()).toMatchObject({ outcome: 'halted', reason: /no progress in 3/ });
    const halted = night.events.length;
    const skip = { actor: 'cli', reason: 'the tests are there' };
    const going = night.run({ skip });
    await expect(going).rejects.toThrow('the play is over');
    expect(ofType(night.events, 'phase-skipped')).toEqual([
      { type: 'phase-skipped', phase: 'RED', ...skip, next: 'GREEN' },
    ]);
    expect(night.events.length).toBeGreaterThan(halted);
    expect(night.journal()).toEqual(night.events);
  });

  it('records how it stands once more when it ends: the last iteration counts for whoever follows it', async () => {
    const done = { type: 'text', text: `${SIGNAL}\n` } as const;
    await using night = await world([turn(1, { events: [done, COMPLETED] })], { preset: PRESETS.work });
    expect(await night.run()).toMatchObject({ outcome: 'completed' });
    const last = ofType(night.journal(), 'standing').at(-1);
    expect(last).toMatchObject({ status: 'completed', completed: ['WORK'], usage: { iterations: 1 } });
  });

  it('that is stopped within a turn is suspended, and its prompt is not sent again', async () => {
    const stop = new AbortController();
    await using night = await world([turn(1, { during: () => stop.abort() }), turn(2)], {
      budget: { iterations: 1 },
    });
    expect(await night.run({ signal: stop.signal })).toMatchObject({ outcome: 'interrupted' });
    expect(ofType(night.events, 'iteration-cut')).toEqual([{ type: 'iteration-cut', reason: 'signal' }]);
    expect(night.loops.get()).toMatchObject({ status: 'suspended', state: { usage: { iterations: 0 } } });
    expect(ofType(night.events, 'standing').at(-1)).toMatchObject({ status: 'suspended' });
    expect(await night.run()).toMatchObject({ outcome: 'limit' });
    expect(night.prompts).toHaveLength(2);
    expect(night.prompts[1]).toContain('interrupted');
  });

  it('whose session was taken away writes nothing more', async () => {
    await using night = await world([
      turn(1, {
        during: ({ loops }) => rmSync(loops.directory, { recursive: true }),
      }),
    ]);
    await expect(night.run()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(typesOf(night.journal())).not.toContain('iteration-end');
  });

  it('that dies between the commit of an iteration and its telling does not do the iteration again', async () => {
    let isBroken = true;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      write(descriptor, bytes, ...rest) {
        if (isBroken && Buffer.from(bytes).includes('"type":"iteration-end"')) throw new Error('EIO');
        return nodeFileSystem.write(descriptor, bytes, ...rest);
      },
    };
    await using night = await world([turn(1), turn(2)], { fileSystem, budget: { iterations: 2 } });
    await expect(night.run()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(ofType(night.journal(), 'iteration-end')).toEqual([]);
    expect(night.loops.get()?.state.usage?.iterations).toBe(1);
    isBroken = false;
    expect(await night.run()).toMatchObject({ outcome: 'limit' });
    expect(night.prompts).toHaveLength(2);
    expect(ofType(night.journal(), 'iteration-end').map(({ iteration }) => iteration)).toEqual([2]);
  });

  it('whose journal fails within a turn cuts the turn and stops', async () => {
    const fileSystem = new FailingFileSystem();
    const breaks = (now: NightWorld) => {
      fileSystem.arm({ fault: 'EIO', at: 1, isLasting: true, only: ['write'] });
      return ask(now);
    };
    await using night = await world([turn(1, { during: breaks })], { fileSystem, isAttended: true });
    await expect(night.run()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    fileSystem.arm(undefined);
    expect(typesOf(night.journal())).not.toContain('iteration-end');
  });
});

describe('requests that cannot be read', () => {
  it('cut the turn, and the run ends with the error instead of its process', async () => {
    const link = ({ loops }: NightWorld) => symlinkSync('/dev/null', join(loops.directory, 'requests.jsonl'));
    const waits = (now: NightWorld, signal: AbortSignal | undefined) => {
      link(now);
      return eventually(() => signal?.aborted === true);
    };
    await using night = await world([turn(1, { during: waits })], { isAttended: true });
    await expect(night.run()).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
    expect(ofType(night.events, 'iteration-cut')).toEqual([{ type: 'iteration-cut', reason: 'request' }]);
  });
});

describe('what an agent asks within a turn', () => {
  it('is an event, and is closed when the agent has been told the answer', async () => {
    await using night = await world([turn(1, { during: async (now) => told(now, await ask(now)) })], {
      budget: { iterations: 1 },
      isAttended: true,
      isFrozen: true,
      onEvent: ({ type }) => void (type === 'iteration-end' && stop.abort()),
    });
    const stop = new AbortController();
    await night.run({ signal: stop.signal });
    expect(ofType(night.events, 'question')).toMatchObject([{ from: 'agent', title: expect.any(String) }]);
    expect(night.loops.get()?.state.openQuestions).toEqual([]);
  });

  it('ends an unattended run, and its late answer comes with the next prompt', async () => {
    let id = '';
    const asking = turn(1, {
      during: async (now) => {
        id = await ask(now);
        await eventually(() => typesOf(now.events).includes('question'));
      },
    });
    await using night = await world([asking, turn(2)], { budget: { iterations: 1 } });
    expect(await night.run()).toMatchObject({ outcome: 'needs-person' });
    expect(ofType(night.events, 'iteration-cut')).toEqual([{ type: 'iteration-cut', reason: 'question' }]);
    await night.questions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    expect(await night.run()).toMatchObject({ outcome: 'limit' });
    expect(night.prompts[1]).toContain('SQLite');
    expect(night.loops.get()?.state.openQuestions).toEqual([]);
    expect((await night.questions.get(id)).collectedAt).not.toBeNull();
  });

  it('keeps its question open while the answer cannot be read, and hears the answer once it can', async () => {
    let id = '';
    const asking = turn(1, {
      during: async (now) => {
        id = await ask(now);
        await eventually(() => typesOf(now.events).includes('question'));
      },
    });
    await using night = await world([asking, turn(2), turn(3)], { budget: { iterations: 1 } });
    await night.run();
    await night.questions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    const [set, elsewhere] = [night.dir.at('questions', id), night.dir.at('elsewhere')];
    renameSync(set, elsewhere);
    symlinkSync(elsewhere, set);
    expect(await night.run()).toMatchObject({ outcome: 'limit' });
    expect(night.prompts[1]).not.toContain('SQLite');
    expect(night.loops.get()?.state.openQuestions).toEqual([id]);
    rmSync(set);
    renameSync(elsewhere, set);
    {
      using loop = await night.loops.hold();
      loop.setLimits({ budget: { iterations: 2 } });
    }
    await night.run();
    expect(night.prompts[2]).toContain('SQLite');
    expect(night.loops.get()?.state.openQuestions).toEqual([]);
  });
});
