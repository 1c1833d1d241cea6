import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Json } from '../support/holdfast-binary.js';
import type { RunWorld } from '../support/run-world.js';
import { REAL_AGENTS, type RealAgentName } from './real-agents.js';
import { reaches, runGround } from './run-ground.js';
import { FIGURES, SMOOTH_FIGURES } from './run-plays.js';
import { itDrives, type Stage } from './stage.js';

/** What an agent and its service make of the numbers of the stand-in. */
interface Figures {
  /** Dollars per million tokens: as the agent has them itself, else as our list has them. */
  readonly prices: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;
  readonly costSource: 'reported' | 'priced';
  /** The service counts what is written to the cache as plain input. */
  readonly writesAreInput: boolean;
  /** It is told the input of a reply at its beginning, with one token of output: so much counts if it is never whole. */
  readonly tellsBeginning: boolean;
}

const FIGURES_OF: Readonly<Record<RealAgentName, Figures>> = {
  claude: {
    prices: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
    costSource: 'reported',
    writesAreInput: false,
    tellsBeginning: true,
  },
  codex: {
    prices: { input: 5, output: 30, cacheRead: 0.5, cacheWrite: 5 },
    costSource: 'priced',
    writesAreInput: true,
    tellsBeginning: false,
  },
  gemini: {
    prices: { input: 0.3, output: 2.5, cacheRead: 0.03, cacheWrite: 0.3 },
    costSource: 'priced',
    writesAreInput: true,
    tellsBeginning: false,
  },
  opencode: {
    prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    costSource: 'reported',
    writesAreInput: false,
    tellsBeginning: false,
  },
};

for (const agent of Object.values(REAL_AGENTS)) {
  const figures = FIGURES_OF[agent.name];

  itDrives(
    agent,
    `R13: tokens and dollars of a run with the real ${agent.name} are the stand-in's, to the digit`,
    SMOOTH_FIGURES,
    async (stage) => {
      await using world = await runGround(agent, stage);
      const run = await world.go([
        '--permissions',
        'bypass',
        '--max-iterations',
        '2',
        ...modelOf(agent.name),
      ]);
      expect(run.code, run.stderr).toBe(7);
      const { data } = await world.json(['report']);
      expect(shown(data.usage)).toEqual({ ...reported(stage, figures), costSource: figures.costSource });
      expect(sumOf(data.phases)).toEqual(reported(stage, figures));
      expect((await world.json(['status'])).data.loop.usage).toMatchObject(reported(stage, figures));
    },
  );

  itDrives(
    agent,
    `R13: they are so with the real ${agent.name} after kill -9 in the middle of a turn, and its files are counted`,
    FIGURES,
    async (stage) => {
      await using world = await runGround(agent, stage);
      await stalledRun(world, stage, agent.name, (run) => {
        run.child.kill('SIGKILL');
      });
      const again = await world.go(['--resume', '--permissions', 'bypass', '--max-iterations', '2']);
      expect(again.code, again.stderr).toBe(7);
      const { data } = await world.json(['report']);
      expect({ ...data.usage }).toMatchObject(reported(stage, figures));
      expect(sumOf(data.phases)).toEqual(reported(stage, figures));
      // The code was written in the iteration that was killed.
      expect(data.phases.find(({ name }: Json) => name === 'GREEN')).toMatchObject({ filesChanged: 1 });
    },
  );

  itDrives(
    agent,
    `R13: they are so with the real ${agent.name} when a turn is stopped in the middle and the run goes on later`,
    FIGURES,
    async (stage) => {
      await using world = await runGround(agent, stage);
      await stalledRun(world, stage, agent.name, async () => {
        expect((await world.run(['stop'])).code).toBe(0);
      });
      expect((await world.json(['report'])).data.usage).toMatchObject(reported(stage, figures));
      const again = await world.go(['--resume', '--permissions', 'bypass', '--max-iterations', '2']);
      expect(again.code, again.stderr).toBe(7);
      const { data } = await world.json(['report']);
      expect(data.usage).toMatchObject(reported(stage, figures));
      expect(sumOf(data.phases)).toEqual(reported(stage, figures));
    },
  );
}

/** Codex does not say which model it uses before it is asked. */
function modelOf(name: RealAgentName): string[] {
  return name === 'codex' ? ['--model', 'gpt-5.5'] : [];
}

/** A run that is ended while the answer of GREEN stalls. */
async function stalledRun(
  world: RunWorld,
  stage: Stage,
  name: RealAgentName,
  end: (run: ReturnType<RunWorld['begin']>) => void | Promise<void>,
): Promise<void> {
  const run = world.begin(['--permissions', 'bypass', ...modelOf(name)]);
  const isStalled = () => stage.model.requests().at(-1)?.fault === 'stall';
  const isHeard = () =>
    !FIGURES_OF[name].tellsBeginning || repliesKept(world) === stage.model.requests().length;
  await reaches(run, () => isStalled() && isHeard());
  await end(run);
  await run.ended;
}

/** How many replies the conversation of the run has written down so far. */
function repliesKept(world: RunWorld): number {
  const directory = join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions');
  const file = join(directory, `run-${world.state().session_id}.jsonl`);
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"usage"'));
  return new Set(lines.map((line) => /"reply":"[^"]*"/.exec(line)?.[0]).filter((name) => name !== undefined))
    .size;
}

type Sums = { readonly tokens: number; readonly cacheReadTokens: number; readonly costUsd: number };

/** What the stand-in said, as this agent's service counts it. */
function reported({ model }: Stage, { prices, writesAreInput, tellsBeginning }: Figures): Sums {
  let [tokens, cacheReadTokens, dollars] = [0, 0, 0];
  for (const { usage, isWhole } of model.replies()) {
    if (!isWhole && !tellsBeginning) continue;
    const { input, cacheRead, cacheWrite } = usage;
    const output = isWhole ? usage.output : 1;
    tokens += input + output + cacheWrite;
    cacheReadTokens += cacheRead;
    dollars += input * prices.input + output * prices.output + cacheRead * prices.cacheRead;
    dollars += cacheWrite * (writesAreInput ? prices.input : prices.cacheWrite);
  }
  return { tokens, cacheReadTokens, costUsd: rounded(dollars / 1_000_000) };
}

function shown({ tokens, cacheReadTokens, costUsd, costSource }: Json): Json {
  return { tokens, cacheReadTokens, costUsd, costSource };
}

function sumOf(phases: readonly Json[]): Sums {
  const sum = (key: string) => rounded(phases.reduce((total, phase) => total + phase[key], 0));
  return { tokens: sum('tokens'), cacheReadTokens: sum('cacheReadTokens'), costUsd: sum('costUsd') };
}

function rounded(value: number): number {
  return Math.round(value * 1e10) / 1e10;
}
