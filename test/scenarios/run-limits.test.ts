import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, ServiceName } from '../../src/agents/index.js';
import { type NightOptions, nightWorld, type PlayedTurn } from '../support/night-world.js';
import { CODE, status, TESTS } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';

/** What the real agents said when their service did not answer. */
interface Recorded {
  readonly cases: readonly {
    readonly case: string;
    readonly at: string;
    readonly events: readonly AgentEvent[];
  }[];
}

const DIRECTORY = fileURLToPath(new URL('../fixtures/agent-limits', import.meta.url));
const AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
const WEEKLY = '2026-11-18T02:35:00.000Z';
const HOUR_MS = 3_600_000;
/** So many tries, each twice as long after the last, take an hour. */
const TRIES_IN_AN_HOUR = 7;

function recorded(agent: ServiceName, name: string): { at: string; turn: PlayedTurn } {
  const { cases } = JSON.parse(readFileSync(`${DIRECTORY}/${agent}.json`, 'utf8')) as Recorded;
  const found = cases.find((one) => one.case === name);
  if (found === undefined) throw new Error(`${agent} has no case ${name}`);
  const end = { type: 'turn-end', reason: 'failed', message: null } as const;
  // What would have been tried for ever ends as it would have.
  const isOver = found.events.some(({ type }) => type === 'turn-end');
  return { at: found.at, turn: { events: isOver ? found.events : [...found.events, end] } };
}

function times(count: number, turn: PlayedTurn): PlayedTurn[] {
  return Array.from({ length: count }, () => turn);
}

function works(files: Readonly<Record<string, string>> = {}): PlayedTurn {
  return {
    files,
    events: [
      { type: 'text', text: `Done.\n\n${status(true)}\n` },
      { type: 'turn-end', reason: 'completed', message: null },
    ],
  };
}

const RED = works({ 'test/adder.test.mjs': TESTS });
const GREEN = works({ 'adder.mjs': CODE });
const REFACTOR = works({ 'adder.mjs': `// Plain sums.\n${CODE}` });
const DOCUMENT = works({
  'README.md': '# Adder\n',
  'docs/usage.md': '# Usage\n',
  'docs/decisions/0001-plain-numbers.md': '# Plain numbers\n',
});

function night(service: ServiceName, turns: readonly PlayedTurn[], more: Partial<NightOptions> = {}) {
  const now = recorded(service, 'usage limit, soon').at;
  return nightWorld({ service, now, turns, budget: { iterations: 5 }, ...more });
}

describe('a night', () => {
  for (const agent of AGENTS) {
    verifies(
      'R11',
      `with the limits of ${agent} goes on by itself to the end, and spends nothing on them`,
      async () => {
        const limit = (name: string) => recorded(agent, name).turn;
        const turns = [
          limit('usage limit, soon'),
          RED,
          limit('usage limit, weekly'),
          GREEN,
          ...times(TRIES_IN_AN_HOUR, limit('overloaded')),
          works(),
          ...times(TRIES_IN_AN_HOUR, limit('refused')),
          limit('500'),
          limit('429'),
          REFACTOR,
          limit('reset'),
          DOCUMENT,
        ];
        await using world = await night(agent, turns);
        const startMs = world.clock.now().getTime();
        expect(await world.run()).toEqual({ outcome: 'completed', reason: null });
        expect(world.prompts).toHaveLength(turns.length);
        const view = world.loops.get();
        expect(view?.state).toMatchObject({ status: 'completed', usage: { iterations: 5 } });
        expect(view?.documents.breaker).toMatchObject({
          state: 'CLOSED',
          failedRunCount: 0,
          sameErrorCount: 0,
        });
        const waits = world.waits();
        expect(waits).toHaveLength(turns.length - 5);
        expect(waits.filter(({ cause }) => cause === 'network').length).toBeGreaterThanOrEqual(
          TRIES_IN_AN_HOUR,
        );
        expect(world.clock.now().getTime() - startMs).toBeGreaterThan(2 * HOUR_MS);
      },
    );
  }

  verifies(
    'R11',
    'waits for the time of day and the date that the service tells, in its own words',
    async () => {
      const turns = [
        recorded('codex', 'usage limit, soon').turn,
        RED,
        recorded('codex', 'usage limit, weekly').turn,
        GREEN,
        works(),
        REFACTOR,
        DOCUMENT,
      ];
      await using world = await night('codex', turns);
      await world.run();
      const [soon, weekly] = world.waits();
      const startedMs = Date.parse(recorded('codex', 'usage limit, soon').at);
      expect(Date.parse(soon?.until ?? '') - startedMs).toBeLessThan(100_000);
      expect(soon).toMatchObject({
        cause: 'quota',
        words: expect.stringMatching(/try again at \d+:\d\d [AP]M\.$/),
      });
      expect(weekly).toMatchObject({ cause: 'quota', until: WEEKLY });
      expect(world.clock.now().getTime()).toBeGreaterThanOrEqual(Date.parse(WEEKLY));
    },
  );

  for (const agent of AGENTS) {
    it.each(['401', 'unknown model', 'no credit', 'disabled'])(
      `in which ${agent} meets what repeating cannot heal (%s) halts at once, with cause and way out`,
      async (name) => {
        await using world = await night(agent, [recorded(agent, name).turn], { check: 'true' });
        const end = await world.run();
        expect(end).toMatchObject({
          outcome: 'halted',
          reason: expect.stringMatching(WAY_OUT[name] ?? /$^/),
        });
        const view = world.loops.get();
        expect(view).toMatchObject({ status: 'halted', statusReason: end.reason });
        expect(view?.state.usage?.iterations).toBe(0);
        expect(view?.documents.breaker).toMatchObject({ state: 'CLOSED', failedRunCount: 0 });
        expect(world.waits()).toEqual([]);
      },
    );
  }

  verifies('R11', 'after a login that expired goes on with --reset where it stood', async () => {
    const turns = [RED, recorded('claude', '401').turn, GREEN, works(), REFACTOR, DOCUMENT];
    await using world = await night('claude', turns);
    expect(await world.run()).toMatchObject({ outcome: 'halted' });
    expect(await world.run({ isReset: true })).toMatchObject({ outcome: 'completed' });
    expect(world.loops.get()?.state.usage?.iterations).toBe(5);
  });

  verifies('R11', 'the question of a run that halted says the cause and the way out', async () => {
    const asked: string[] = [];
    const stop = new AbortController();
    await using world = await night('claude', [recorded('claude', 'not logged in').turn], {
      isAttended: true,
      onEvent: (event) => {
        if (event.type !== 'question') return;
        asked.push(event.sessionId);
        stop.abort();
      },
    });
    await world.run({ signal: stop.signal });
    const [id = ''] = asked;
    const request = JSON.parse(readFileSync(world.dir.at('questions', id, 'request.json'), 'utf8'));
    expect(JSON.stringify(request)).toContain(
      'the agent is not logged in (\\"Not logged in · Please run /login\\"). Log in with `claude /login`, or check ANTHROPIC_API_KEY. How should it continue?',
    );
  });

  verifies(
    'R11',
    'a person ends a wait with `holdfast resume`, and a wait is known after a restart',
    async () => {
      const stop = new AbortController();
      const turns = [recorded('claude', 'usage limit, weekly').turn, RED, GREEN, works(), REFACTOR, DOCUMENT];
      let waits = 0;
      await using world = await night('claude', turns, {
        isFrozen: true,
        onEvent: (event, { loops }) => {
          if (event.type !== 'waiting') return;
          waits += 1;
          if (waits === 1) stop.abort();
          else void loops.request({ kind: 'resume' });
        },
      });
      expect(await world.run({ signal: stop.signal })).toMatchObject({ outcome: 'interrupted' });
      expect(world.prompts).toHaveLength(1);
      expect(await world.run()).toMatchObject({ outcome: 'completed' });
      expect(world.waits()).toMatchObject([{ until: WEEKLY }, { until: WEEKLY, scope: 'weekly' }]);
      expect(world.clock.now().getTime()).toBeLessThan(Date.parse(WEEKLY));
    },
  );

  it('a conversation that is resumed is not given up because the service cannot be reached', async () => {
    const stop = new AbortController();
    const turns = [
      RED,
      recorded('claude', 'overloaded').turn,
      recorded('claude', 'refused').turn,
      recorded('claude', '401').turn,
    ];
    await using world = await night('claude', turns, {
      onEvent: (event) => {
        if (event.type === 'waiting') stop.abort();
      },
    });
    await world.run({ signal: stop.signal });
    expect(await world.run()).toMatchObject({ outcome: 'halted' });
    expect(world.prompts).toHaveLength(turns.length);
    expect(world.prompts.filter((prompt) => prompt.startsWith('# Adder'))).toHaveLength(turns.length);
    expect(world.waits().map(({ cause }) => cause)).toEqual(['overload', 'overload', 'network']);
  });

  it('a prompt that a service did not take is told as interrupted, not as an iteration', async () => {
    await using world = await night('claude', [
      recorded('claude', 'overloaded').turn,
      RED,
      recorded('claude', '401').turn,
    ]);
    await world.run();
    const [first = '', second = '', third = ''] = world.prompts;
    expect(first).toMatch(/Iteration 1 of RED, begun/);
    expect(second).toMatch(/Iteration 1 of RED, begun .*was interrupted/s);
    expect(third).toMatch(/Iteration 1 of GREEN, begun/);
    expect(third).not.toContain('was interrupted');
  });
});

const WAY_OUT: Readonly<Record<string, RegExp>> = {
  '401': /^the agent is not logged in \(".+"\)\. (?:Log in with|Start `gemini` once)/,
  'unknown model': /^the agent's model is not available \(".+"\)\. Use `--model` to name a model/,
  'no credit': /^the account of the agent's service has no credit \(".+"\)\. Add credit/,
  disabled: /^the agent's service is disabled for this account \(".+"\)\. Ask/,
};
