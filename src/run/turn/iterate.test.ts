import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/agents.js';
import { question } from '../../../test/support/question-world.js';
import {
  COMPLETED,
  ended,
  type Scripted,
  says,
  type TurnWorld,
  type TurnWorldOptions,
  turnWorld,
  used,
} from '../../../test/support/turn-world.js';
import type { AgentEvent } from '../../agents/index.js';
import { PRESETS } from '../../sessions/loop/index.js';
import { permissionAsker } from '../../sessions/question/index.js';
import type { RunEvent } from '../journal/events.js';
import type { CutReason, RunParts } from '../run-parts.js';
import { iterate } from './iterate.js';

const DONE = '---PRP_PHASE_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---\n';
/** A check that reports numbers. */
const tests = (passing: number, failing: number) =>
  `printf ' Test Files  1 ran (1)\n      Tests  ${failing} failed | ${passing} passed (${passing + failing})\n   Duration  1s\n'; exit ${Math.min(failing, 1)}`;
const CALL: AgentEvent = {
  type: 'tool-call',
  id: 'call-1',
  name: 'Bash',
  kind: 'execute',
  title: 'make',
  input: {},
};

type Cut = AbortController & { abort(reason: CutReason): void };

function once(world: TurnWorld, overrides: Partial<RunParts> = {}, cut: Cut = new AbortController()) {
  return iterate({ ...world.parts, ...overrides }, world.memory, cut);
}

const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type);
const last = <Type extends RunEvent['type']>(events: readonly RunEvent[], type: Type) =>
  events.findLast((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
const endOf = ({ events }: TurnWorld) => last(events, 'iteration-end');
const doneIn = ({ loop }: TurnWorld) => loop.state.usage?.iterations ?? 0;

async function asks(world: TurnWorld, asks: 'question' | 'permission' = 'question'): Promise<string> {
  const asker = { agent: 'scripted', session: world.loop.state.sessionId };
  const { id } = await world.questions.create([question()], {
    asker: asks === 'permission' ? permissionAsker(asker) : asker,
    isWaiting: true,
  });
  return id;
}

const answer = ({ questions }: TurnWorld, id: string) =>
  questions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);

/** The loop as the next process finds it, on a disk that works again. */
function reopened({ tree, loop, loops, parts }: TurnWorld) {
  tree.fails = undefined;
  loop[Symbol.dispose]();
  return loops.resume(parts.plan.path);
}

/** A journal that only listens; the real one belongs to the first owner. */
function silent(told: RunEvent[] = []): RunParts['journal'] {
  const hear = (event: RunEvent) => void told.push(event);
  return { record: hear, note: hear } as RunParts['journal'];
}

/** A world whose first turn can act on it. */
async function acting(
  turn: (world: () => TurnWorld) => Scripted,
  options: TurnWorldOptions = {},
): Promise<TurnWorld> {
  let world: TurnWorld | undefined;
  const current = () => {
    if (world === undefined) throw new Error('not there yet');
    return world;
  };
  world = await turnWorld({ ...options, turns: [turn(current), ...(options.turns ?? [])] });
  return world;
}

describe('the order of an iteration', () => {
  it('is intent, its start, prompt, answer, commit, journal, telling: each on disk before the next', async () => {
    await using world = await turnWorld({ turns: [says('hello\n')] });
    expect(await once(world)).toEqual({ decision: { next: 'iterate' } });
    expect(world.trace).toEqual([
      'loop: in flight',
      'journal: iteration-start',
      'told: iteration-start',
      'conversation: turn user',
      'conversation: agent',
      'prompt',
      'conversation: turn assistant',
      'loop: 1 done',
      ...['standing', 'agent text', 'agent turn-end', 'iteration-end'].map((type) => `journal: ${type}`),
      ...['standing', 'agent', 'agent', 'iteration-end'].map((type) => `told: ${type}`),
    ]);
  });

  it('that cannot write its intent sends nothing', async () => {
    await using world = await turnWorld();
    world.tree.fails = (path) => path.includes('/.prp-session/');
    await expect(once(world)).rejects.toMatchObject({ code: expect.stringMatching(/^(STORAGE|ATOMIC)/) });
    expect([world.prompts, world.conversation.view.turnCount]).toEqual([[], 0]);
  });

  it('whose prompt cannot be written sends nothing', async () => {
    await using world = await turnWorld();
    world.tree.fails = (path) => path.endsWith('talk.jsonl');
    await expect(once(world)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(world.prompts).toEqual([]);
    expect([doneIn(world), endOf(world)]).toEqual([0, undefined]);
  });

  it('that dies before its commit is reported to the next one as interrupted', async () => {
    await using world = await turnWorld({ turns: [says('one'), says('two')] });
    const isLoop = (path: string) => path.includes('/.prp-session/');
    world.tree.fails = (path) => isLoop(path) && world.trace.includes('prompt');
    await expect(once(world)).rejects.toThrow();
    using loop = await reopened(world);
    expect(loop.state.usage?.iterations ?? 0).toBe(0);
    await once(world, { loop, journal: silent() });
    expect(world.prompts).toHaveLength(2);
    expect(world.prompts[1]).toContain('Iteration 1 of RED, begun 2026-01-05T10:00:00.000Z, was interrupted');
  });

  it('that dies during its commit is completed by the next owner, and not repeated', async () => {
    await using world = await turnWorld({ turns: [says('one'), says('two')] });
    world.tree.fails = (path) => path.endsWith('/loop-state.json') && world.trace.includes('prompt');
    await expect(once(world)).rejects.toThrow();
    using loop = await reopened(world);
    expect(loop.state).toMatchObject({ currentIteration: 1, inFlight: null, usage: { iterations: 1 } });
    await once(world, { loop, journal: silent() });
    expect(world.prompts[1]).toMatch(/^# Adder\n\nIteration 2 of RED/);
    expect(world.prompts[1]).not.toContain('was interrupted');
  });

  it('that dies between its commit and its report is counted, and not reported', async () => {
    await using world = await turnWorld();
    world.tree.fails = (_path, text) => text.includes('"type":"iteration-end"');
    await expect(once(world)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect([doneIn(world), endOf(world)]).toEqual([1, undefined]);
  });

  it('has every prompt counted against the calls of the hour, whatever its result', async () => {
    await using world = await turnWorld({ turns: [{ events: [ended('failed', 'no')] }] });
    await once(world);
    expect(world.loop.documents.rateLimit.hourly.callsMade).toBe(1);
  });
});

describe('an iteration that is cut short', () => {
  const cutting = (reason: CutReason, rest: Partial<Scripted> = {}) => {
    const cut: Cut = new AbortController();
    const turn: Scripted = { before: [used(7)], during: () => cut.abort(reason), ...rest };
    return { cut, turn };
  };

  it('is not counted, what it used is, and its checks do not run', async () => {
    const { cut, turn } = cutting('signal');
    await using world = await turnWorld({ turns: [turn], checks: ['true'] });
    expect(await once(world, {}, cut)).toEqual({ cut: 'signal' });
    expect(world.loop.state.usage).toMatchObject({ iterations: 0, tokens: 7, countedRecords: 1 });
    expect(typesOf(world.events)).not.toContain('verify-start');
    expect(world.events.at(-1)).toEqual({ type: 'iteration-cut', reason: 'signal' });
    expect(endOf(world)).toBeUndefined();
  });

  it('stays in flight, so the next prompt says so', async () => {
    const { cut, turn } = cutting('request');
    await using world = await turnWorld({ turns: [turn] });
    await once(world, {}, cut);
    expect(world.loop.state.inFlight).toMatchObject({ phase: 'RED', iteration: 1 });
    await once(world);
    expect(world.prompts[1]).toContain('was interrupted');
  });

  it('because the session was taken away writes nothing into it', async () => {
    const { cut, turn } = cutting('lost');
    await using world = await turnWorld({ turns: [turn] });
    expect(await once(world, {}, cut)).toEqual({ cut: 'lost' });
    expect(world.trace.filter((fact) => fact.startsWith('loop'))).toEqual(['loop: in flight']);
  });

  it('while its checks run is not counted either', async () => {
    const cut: Cut = new AbortController();
    await using world = await turnWorld({ turns: [says('done')], checks: ['sleep 60', 'true'] });
    world.parts.journal.follow(world.parts.journal.start, ({ event }) => {
      if (event.type === 'verify-start') cut.abort('signal');
    });
    expect(await once(world, {}, cut)).toEqual({ cut: 'signal' });
    expect(doneIn(world)).toBe(0);
    expect(world.events.filter(({ type }) => type === 'verify-start')).toHaveLength(1);
    expect(world.memory.checks).toBeNull();
  });

  it('still has the files that it touched', async () => {
    const { cut, turn } = cutting('signal', { files: { 'src/a.ts': 'a' } });
    await using world = await turnWorld({ turns: [turn], isMeasured: true });
    await once(world, {}, cut);
    expect([...world.parts.touched]).toEqual(['src/a.ts']);
  });

  it('after a completed answer has told the agent what a person said', async () => {
    const cut: Cut = new AbortController();
    await using world = await turnWorld({
      turns: [{ events: [{ type: 'text', text: 'ok' }, COMPLETED] }],
      checks: ['sleep 60'],
    });
    world.loop.guide('use tabs');
    world.parts.journal.follow(world.parts.journal.start, ({ event }) => {
      if (event.type === 'verify-start') cut.abort('signal');
    });
    await once(world, {}, cut);
    expect(world.prompts[0]).toContain('use tabs');
    expect(world.loop.state.guidance).toEqual([]);
  });
});

describe('what a person said', () => {
  it('goes into the prompt, and is closed when the answer is completed', async () => {
    await using world = await turnWorld({ turns: [says('ok')] });
    const id = await asks(world);
    world.loop.openQuestion(id);
    await answer(world, id);
    world.loop.guide('use tabs');
    await once(world);
    expect(world.prompts[0]).toMatch(
      /A person says:\n- use tabs[\s\S]*Answers to what you asked[\s\S]*SQLite/,
    );
    expect(world.loop.state).toMatchObject({ guidance: [], openQuestions: [] });
    expect((await world.questions.get(id)).collectedAt).not.toBeNull();
  });

  it.each([
    ['failed', { events: [ended('failed', 'out of order')] }],
    ['was killed', { events: [ended('died', 'killed')] }],
    ['was refused', { events: [ended('refused')] }],
  ] satisfies [string, Scripted][])('stays for the next prompt if the exchange %s', async (_how, turn) => {
    await using world = await turnWorld({ turns: [turn, says('ok')] });
    const id = await asks(world);
    world.loop.openQuestion(id);
    await answer(world, id);
    world.loop.guide('use tabs');
    await once(world);
    expect(world.loop.state).toMatchObject({ guidance: ['use tabs'], openQuestions: [id] });
    expect((await world.questions.get(id)).collectedAt).toBeNull();
    await once(world);
    expect(world.prompts[1]).toMatch(/use tabs[\s\S]*SQLite/);
  });

  it('about a question that is still waiting is not passed on, and the question stays open', async () => {
    await using world = await turnWorld({ turns: [says('ok')] });
    const id = await asks(world);
    world.loop.openQuestion(id);
    await once(world);
    expect(world.prompts[0]).not.toContain('Answers to what you asked');
    expect(world.loop.state.openQuestions).toEqual([id]);
  });
});

describe('a question of the agent', () => {
  const asking = (during: (world: TurnWorld) => unknown, options: TurnWorldOptions = {}) =>
    acting((world) => ({ during: () => during(world()), events: [COMPLETED] }), options);
  const isTold = ({ events }: TurnWorld) => typesOf(events).includes('question');

  it('cuts an unattended iteration, and stays open', async () => {
    let id = '';
    await using world = await asking(async (now) => {
      id = await asks(now);
      await eventually(() => isTold(now));
    });
    expect(await once(world, { isUnattended: true })).toEqual({ cut: 'question' });
    expect(world.loop.state.openQuestions).toEqual([id]);
    expect(doneIn(world)).toBe(0);
  });

  it('that is answered during the exchange is closed with it', async () => {
    await using world = await asking(async (now) => {
      const id = await asks(now);
      await eventually(() => isTold(now));
      await answer(now, id);
      using delivery = await now.questions.collect(id);
      delivery.confirm();
    });
    expect(await once(world)).toEqual({ decision: { next: 'iterate' } });
    expect(world.loop.state.openQuestions).toEqual([]);
  });

  it('whose answer was not passed on stays open', async () => {
    let id = '';
    await using world = await asking(async (now) => {
      id = await asks(now);
      await eventually(() => isTold(now));
      await answer(now, id);
    });
    await once(world);
    expect(world.loop.state.openQuestions).toEqual([id]);
  });

  it('stops the clocks while it waits', async () => {
    await using world = await asking(
      async (now) => {
        const id = await asks(now);
        await eventually(() => isTold(now));
        now.clock.advance(60_000);
        await answer(now, id);
        await eventually(async () => (await now.questions.get(id)).outcome.status === 'completed');
      },
      { loop: { budget: { activeMs: 30_000 } } },
    );
    await once(world, { idle: { idleMs: 10_000, toolMs: 10_000 } });
    expect(endOf(world)).toMatchObject({ run: 'answered', activeMs: 0 });
  });

  it('for a permission stops them too, and is no open question of the run', async () => {
    await using world = await asking(
      async (now) => {
        await asks(now, 'permission');
        await eventually(() => isTold(now));
        now.clock.advance(60_000);
      },
      { loop: { budget: { activeMs: 30_000 } } },
    );
    await once(world);
    expect(endOf(world)).toMatchObject({ run: 'answered', activeMs: 0 });
    expect(world.loop.state.openQuestions).toEqual([]);
  });

  it('for a permission that nobody can give cuts the iteration', async () => {
    await using world = await asking(async (now) => {
      await asks(now, 'permission');
      await eventually(() => isTold(now));
    });
    expect(await once(world, { isUnattended: true })).toEqual({ cut: 'question' });
    expect(world.loop.state.openQuestions).toEqual([]);
  });
});

describe('the time of an iteration', () => {
  const slow =
    (ms: number, rest: Partial<Scripted> = {}) =>
    (world: () => TurnWorld) => ({
      during: () => world().clock.advance(ms),
      ...rest,
    });

  it('is what is left of the budget: beyond it, the exchange is cancelled and counts as timed out', async () => {
    await using world = await acting(slow(20_000, { hangs: true }), {
      loop: { budget: { activeMs: 50_000 } },
    });
    world.loop.recordUsage({ activeMs: 40_000 });
    await once(world);
    expect(endOf(world)).toMatchObject({ run: 'timed-out', error: 'the time of the run was up' });
    expect(world.loop.state.usage?.activeMs).toBe(60_000);
  });

  it('is unlimited if the budget sets no limit', async () => {
    await using world = await acting(slow(3_600_000));
    await once(world);
    expect(endOf(world)).toMatchObject({ run: 'answered', activeMs: 3_600_000 });
  });

  it('of the agent is no overhead of ours', async () => {
    await using world = await acting(slow(5_000));
    await once(world);
    expect(endOf(world)).toMatchObject({ activeMs: 5_000, overheadMs: 0 });
  });

  it('that an agent spends in silence is limited: the agent is ended at once, and started again', async () => {
    await using world = await acting(slow(10_000, { hangs: true }), { turns: [says('back')] });
    const idle = { idleMs: 10_000, toolMs: 10_000 };
    await once(world, { idle });
    expect(endOf(world)).toMatchObject({
      run: 'timed-out',
      error: 'the agent showed no sign of life for 10 s',
    });
    expect(world.ends).toContain('terminated');
    await once(world, { idle });
    expect(world.starts).toHaveLength(2);
  });

  it('of a tool that it runs may be longer', async () => {
    await using world = await acting(slow(15_000, { before: [CALL] }));
    await once(world, { idle: { idleMs: 10_000, toolMs: 20_000 } });
    expect(endOf(world)).toMatchObject({ run: 'answered' });
  });
});

describe('what an exchange came to', () => {
  it('is done only by a completed answer that says so', async () => {
    await using world = await turnWorld({
      turns: [
        { events: [{ type: 'text', text: DONE }, ended('failed', 'no')] },
        { events: [{ type: 'text', text: DONE }, COMPLETED] },
      ],
    });
    await once(world);
    expect(endOf(world)).toMatchObject({ run: 'failed', exitSignal: false, gates: { second: false } });
    await once(world);
    expect(endOf(world)).toMatchObject({ run: 'answered', exitSignal: true, gates: { second: true } });
  });

  it('is not done by words alone: the checks decide gate 1', async () => {
    await using world = await turnWorld({
      turns: [says(DONE), says(DONE)],
      checks: [tests(2, 0)],
      loop: { preset: PRESETS.tdd },
    });
    expect(await once(world)).toEqual({ decision: { next: 'iterate' } });
    expect(endOf(world)?.gates).toMatchObject({ first: false, second: true });
    const parts = { checks: [{ label: 'red', command: 'sh', args: ['-c', tests(1, 1)] }] };
    expect(await once(world, parts)).toEqual({
      decision: { next: 'enter-phase', phase: 'GREEN', story: null },
    });
  });

  it('has the files that were measured, not those the agent mentions', async () => {
    await using world = await turnWorld({
      turns: [{ ...says('I created ten files.'), files: { 'src/a.ts': 'a', 'docs/plan.md': '# Other' } }],
      checks: ['true'],
      isMeasured: true,
    });
    await once(world);
    expect(endOf(world)?.files).toEqual({ created: 1, modified: 1, deleted: 0 });
    expect([...world.parts.touched].sort()).toEqual(['docs/plan.md', 'src/a.ts']);
  });

  it('of an agent that could not be started is a crash, and the run continues', async () => {
    await using world = await turnWorld({ turns: [says('back')] });
    world.startFailures.push(new Error('no such program'));
    expect(await once(world)).toEqual({ decision: { next: 'iterate' } });
    expect(endOf(world)).toMatchObject({ run: 'crashed', error: expect.stringContaining('no such program') });
    expect(world.conversation.view.turns[0]?.failure).toContain('no such program');
    await once(world);
    expect(endOf(world)).toMatchObject({ run: 'answered' });
  });

  it('of a disk that takes no answer is not a crash of the agent: the run ends', async () => {
    await using world = await turnWorld({ turns: [says('hello')] });
    world.tree.fails = (path, text) => path.endsWith('talk.jsonl') && text.includes('"assistant"');
    await expect(once(world)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect([doneIn(world), endOf(world)]).toEqual([0, undefined]);
  });

  it('at a limit of the service waits, and uses up no iteration', async () => {
    const limit = ended('rate-limited', 'usage limit reached, resets in 2 hours');
    await using world = await turnWorld({ turns: [{ before: [used(3)], events: [limit] }] });
    const end = await once(world);
    expect(end).toMatchObject({ decision: { next: 'wait' } });
    expect(endOf(world)).toMatchObject({ run: 'limited', breaker: 'CLOSED' });
    expect(world.loop.state.usage).toMatchObject({ iterations: 0, tokens: 3 });
  });

  it('is used up once: the next iteration counts only what is new', async () => {
    await using world = await turnWorld({
      turns: [
        { before: [used(5)], events: [COMPLETED] },
        { before: [used(6)], events: [COMPLETED] },
      ],
    });
    await once(world);
    await once(world);
    expect(world.loop.state.usage).toMatchObject({ iterations: 2, tokens: 11, countedRecords: 2 });
  });

  it('begins with the files left by an iteration that was cut short', async () => {
    const cut: Cut = new AbortController();
    await using world = await turnWorld({ turns: [{ during: () => cut.abort('signal') }, says('on')] });
    await once(world, {}, cut);
    world.loop.suspend('stopped');
    using loop = await reopened(world);
    loop.recordLeftFiles({ files: 3, documents: 0 });
    const told: RunEvent[] = [];
    await once(world, { loop, journal: silent(told) });
    expect(last(told, 'iteration-end')).toMatchObject({ filesLeft: 3 });
  });
});

describe('the checks of an iteration', () => {
  const runs = ({ events }: TurnWorld) => events.filter(({ type }) => type === 'verify-end').length;
  const GREEN = { preset: { name: 'tdd' as const, phases: PRESETS.tdd.phases.slice(1) } };

  it.each([
    ['twice where the agent says done and all is well', DONE, tests(2, 0), 2],
    ['once where it does not say so', 'not yet', tests(2, 0), 1],
    ['once where they fail', DONE, tests(1, 1), 1],
  ])('run %s', async (_how, text, check, times) => {
    await using world = await turnWorld({ turns: [says(text)], checks: [check], loop: GREEN });
    await once(world);
    expect(runs(world)).toBe(times);
  });

  it('run once in a phase that does not ask for two runs', async () => {
    await using world = await turnWorld({ turns: [says(DONE)], checks: [tests(2, 0)] });
    await once(world);
    expect(runs(world)).toBe(1);
  });

  it('that are green once and then fail do not open the gate', async () => {
    const flaky = `test -e "$0" && { rm "$0"; ${tests(1, 1)}; }; touch "$0"; ${tests(2, 0)}`;
    await using world = await turnWorld({ turns: [says(DONE)], loop: GREEN });
    const check = { label: 'flaky', command: 'sh', args: ['-c', flaky, `${world.loop.state.sessionId}`] };
    expect(await once(world, { checks: [check] })).toEqual({ decision: { next: 'iterate' } });
    expect(endOf(world)).toMatchObject({ gates: { first: false }, tests: { failing: 1 } });
  });

  it('do not run after an exchange that neither was answered nor changed anything', async () => {
    await using world = await turnWorld({
      turns: [{ events: [ended('failed', 'no')] }],
      checks: ['true'],
      isMeasured: true,
    });
    await once(world);
    expect([runs(world), world.memory.checks]).toEqual([0, null]);
    expect(endOf(world)).toMatchObject({ run: 'failed', tests: null });
  });

  it('run after one that failed but changed something', async () => {
    await using world = await turnWorld({
      turns: [{ files: { 'a.ts': 'a' }, events: [ended('failed', 'no')] }],
      checks: [tests(3, 0)],
      isMeasured: true,
    });
    await once(world);
    expect(endOf(world)).toMatchObject({ run: 'failed', tests: { total: 3 }, files: { created: 1 } });
  });

  it('are shown to the agent in the next prompt, even if nothing was checked in between', async () => {
    await using world = await turnWorld({
      turns: [says('one'), { events: [ended('failed', 'no')] }, says('three')],
      checks: [tests(1, 2)],
    });
    await once(world);
    await once(world);
    await once(world);
    expect(world.prompts[1]).toContain('Now: 3 tests, 1 pass, 2 fail');
    expect(world.prompts[2]).toContain('Now: 3 tests, 1 pass, 2 fail');
  });

  it('are also shown after a restart, from what was stored', async () => {
    await using world = await turnWorld({ turns: [says('one'), says('two')], checks: [tests(1, 2)] });
    await once(world);
    world.memory.checks = null;
    await once(world);
    expect(world.prompts[1]).toContain('Now: 3 tests, 1 pass, 2 fail');
  });
});

describe("the agent's context", () => {
  const isFresh = ({ starts }: TurnWorld) => starts.length > 1;
  const FULL: Scripted = { events: [ended('context-overflow', 'prompt is too long')] };

  it.each([
    ['is kept', 'continue', says('one'), false],
    ['is kept where it is not full', 'redline', says('one'), false],
    ['is begun anew each time', 'fresh', says('one'), true],
    ['is begun anew when it is full', 'redline', FULL, true],
    ['is begun anew when it is full, though it should be kept', 'continue', FULL, true],
  ] as const)('%s (%s)', async (_how, context, first, expected) => {
    await using world = await turnWorld({ turns: [first, says('two')] });
    await once(world, { context });
    await once(world, { context });
    expect(isFresh(world)).toBe(expected);
    if (expected) expect(world.starts[1]).toBeNull();
    expect(world.memory.isContextFull).toBe(false);
  });

  it('that starts afresh has the plan in its prompt again', async () => {
    await using world = await turnWorld({ turns: [says('one'), says('two')] });
    await once(world, { context: 'fresh' });
    await once(world, { context: 'fresh' });
    expect(world.prompts[1]).not.toContain('The first prompt of this phase quoted the plan');
    expect(world.conversation.context).toHaveLength(2);
  });
});
