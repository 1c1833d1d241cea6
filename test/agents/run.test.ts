import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../src/foundation/index.js';
import { type Json, RALPHTOOL } from '../support/holdfast-binary.js';
import { CHECK } from '../support/run-world.js';
import { openspec } from './openspec.js';
import { REAL_AGENTS } from './real-agents.js';
import { makeChange, promptsTold, reaches, rolesIn, runGround } from './run-ground.js';
import { ASKS_FIRST, allStories, QUESTION, STALLS_IN_GREEN, STORIES, WHOLE_WAY } from './run-plays.js';
import { itDrives } from './stage.js';

const FOUR = ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'];
/** A run that goes wrong must come to an end. */
const LIMIT = ['--max-iterations', '9'];
/** What the stand-in says that a reply costs. */
const TOKENS = 1_050;

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex]) {
  const isClaude = agent.name === 'claude';

  itDrives(agent, `a run with the real ${agent.name} goes through four phases`, WHOLE_WAY, async (stage) => {
    await using world = await runGround(agent, stage);
    const { code, events } = await world.events(['--permissions', 'bypass', ...LIMIT]);
    expect(code, JSON.stringify(events.slice(-5))).toBe(0);
    expect(world.state()).toMatchObject({ status: 'completed', phases_completed: FOUR });
    const prompts = ['1 of RED', '1 of GREEN', '1 of REFACTOR', '1 of DOCUMENT'];
    expect(promptsTold(stage)).toEqual(prompts);
    expect(rolesIn(world)).toEqual(prompts.flatMap(() => ['user', 'assistant']));
    const { data } = await world.json(['report']);
    expect(data).toMatchObject({
      status: 'completed',
      usage: { iterations: 4, tokens: stage.model.requests().length * TOKENS },
      denials: [],
      errors: [],
    });
    expect(data.phases.map((phase: Json) => [phase.name, phase.tokens, phase.filesChanged])).toEqual([
      ['RED', 2 * TOKENS, 1],
      ['GREEN', 2 * TOKENS, 1],
      ['REFACTOR', 2 * TOKENS, 1],
      ['DOCUMENT', 2 * TOKENS, 3],
    ]);
    const costs = data.phases.map(({ costUsd }: Json) => costUsd > 0);
    // Reported, or by the list of prices.
    expect(costs).toEqual(FOUR.map(() => true));
    expect(data.tests.at(-1)).toMatchObject({ phase: 'DOCUMENT', passing: 2, failing: 0 });
    expect(readFileSync(join(world.project, 'adder.mjs'), 'utf8')).toMatch(/^\/\/ Plain sums\.\n/);
  });

  itDrives(
    agent,
    `a run with the real ${agent.name} that was killed with kill -9 goes on in the same conversation`,
    STALLS_IN_GREEN,
    async (stage) => {
      await using world = await runGround(agent, stage);
      const run = world.begin(LIMIT);
      const stalls = () => stage.model.requests().at(-1)?.fault === 'stall';
      await reaches(run, () => stalls() && stage.hasRecorded('Iteration 1 of GREEN'));
      run.child.kill('SIGKILL');
      await run.ended;
      expect((await world.json(['status'])).data.loop).toMatchObject({ status: 'suspended', phase: 'GREEN' });
      const { code, events } = await world.events(['--resume']);
      expect(code, JSON.stringify(events.slice(-5))).toBe(0);
      expect(events.filter(({ type }) => type === 'continuation')).toMatchObject([
        { continuation: { how: 'resumed' } },
      ]);
      expect(world.state()).toMatchObject({ status: 'completed', phases_completed: FOUR });
      const green = ['1 of GREEN', '1 of GREEN'];
      expect(promptsTold(stage)).toEqual(['1 of RED', ...green, '1 of REFACTOR', '1 of DOCUMENT']);
      const exchange = ['user', 'assistant'];
      const others = [exchange, exchange, exchange].flat();
      expect(rolesIn(world)).toEqual([...exchange, 'user', ...others]);
      // It was told to run the check, so it may, although only edits are accepted.
      expect((await world.json(['report'])).data).toMatchObject({ denials: [], usage: { iterations: 4 } });
    },
  );

  // Its login shells set PATH anew, so that it has to start the program as the prompt says.
  const ralphtool = isClaude ? 'ralphtool' : `'${process.execPath}' '${RALPHTOOL}'`;

  itDrives(
    agent,
    `a run with the real ${agent.name} completes a change of the real openspec, and keeps what it learned`,
    allStories(ralphtool),
    async (stage) => {
      await using world = await runGround(agent, stage);
      const home = world.dir.at('home');
      makeChange(world, home);
      const command = ['run', '--change', 'add-x', '--agent', 'player', '--verify', CHECK, ...LIMIT];
      const run = await world.run(command);
      expect(run.code, run.stderr).toBe(0);
      const stories = Array.from({ length: STORIES }, (_, index) => `${index + 1}`);
      expect(world.state()).toMatchObject({ status: 'completed', phases_completed: stories });
      expect(promptsTold(stage)).toEqual(stories.map((story) => `1 of story ${story}`));
      const printed = [`"description":"learned in story ${STORIES - 1}"`, `"total_learnings":${STORIES}`];
      const told = stage.model.requests().at(-1);
      expect(told?.lacks([`\`${ralphtool}`, ...printed])).toEqual([]);
      const { changes } = JSON.parse(openspec(home, world.project, 'list', '--json'));
      const counts = { completedTasks: 2 * STORIES, totalTasks: 2 * STORIES };
      expect(changes).toMatchObject([{ name: 'add-x', ...counts, status: 'complete' }]);
      const design = readFileSync(join(world.project, 'openspec/changes/add-x/design.md'), 'utf8');
      expect(design).toMatch(/^# Design\n\nPlain\.\n\n## Learnings\n/);
      expect(design.match(/^- .*$/gm)).toEqual(stories.map((story) => `- learned in story ${story}`));
      expect((await world.json(['change'])).data).toMatchObject([{ name: 'add-x', session: null }]);
      expect((await world.json(['report'])).data).toMatchObject({ denials: [], errors: [] });
    },
    ['openspec'],
  );

  itDrives(
    agent,
    `a question of the real ${agent.name} outlives kill -9 of the run, and the late answer is used`,
    ASKS_FIRST,
    async (stage) => {
      await using world = await runGround(agent, stage);
      // As most people have it, with an agent that has another home than they.
      const env = { HOLDFAST_HOME: undefined };
      const settings = readFileSync(join(world.env.HOLDFAST_HOME ?? '', 'config', 'config.json'));
      const file = join(world.env.HOME ?? '', '.config', 'holdfast', 'config.json');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, settings);
      const run = world.begin(['--attended', ...LIMIT], { env });
      await run.printed('stderr', /the agent asks: Numbers/);
      run.child.kill('SIGKILL');
      await run.ended;
      const { data: waiting } = await world.json(['questions'], { env });
      expect(waiting).toMatchObject([{ questions: [QUESTION] }]);
      const given = ['--option', 'Big', '--text', 'really big'];
      const answer = await world.run(['answer', waiting[0].sessionId, ...given], { env });
      expect(answer.code, answer.stderr).toBe(0);
      const again = await world.go(['--resume'], { env });
      expect(again.code, again.stderr).toBe(0);
      const told = stage.model.requests().at(-1);
      expect(told?.matches(/Answers to what you asked earlier/g)).toHaveLength(1);
      expect(told?.lacks(["→ Big\n→ Other: 'really big'"])).toEqual([]);
      expect(promptsTold(stage).slice(0, 3)).toEqual(['1 of RED', '1 of RED', '1 of GREEN']);
      expect(world.state()).toMatchObject({ status: 'completed', open_questions: [] });
      expect((await world.json(['report'], { env })).data).toMatchObject({
        questions: [{ title: 'Numbers', status: 'completed' }],
      });
    },
  );
}

itDrives(
  REAL_AGENTS.gemini,
  'R12: a question of the real gemini, which tells of a call only when it is over, is known at once, and it is not ended for silence',
  ASKS_FIRST,
  async (stage) => {
    await using world = await runGround(REAL_AGENTS.gemini, stage);
    const run = world.begin(['--attended', '--idle', '20s', '--permissions', 'bypass', '--json', ...LIMIT]);
    const [line = ''] = await run.printed('stdout', /^.*"type":"question".*$/m);
    expect(JSON.parse(line)).toMatchObject({ title: 'Numbers', prompt: QUESTION.prompt, from: 'agent' });
    const { data: waiting } = await world.json(['questions']);
    // By the name that the person gave it, not by that of its MCP client.
    expect(waiting).toMatchObject([{ asker: { agent: 'player', session: world.state().session_id } }]);
    await systemClock.sleep(25_000); // longer than it may be silent
    expect((await world.json(['questions'])).data).toHaveLength(1);
    await world.run(['answer', waiting[0].sessionId, '--option', 'Big']);
    const [end = ''] = await run.printed('stdout', /^.*"type":"iteration-end".*$/m);
    expect(JSON.parse(end)).toMatchObject({ run: 'answered' });
    run.child.kill('SIGINT');
    await run.ended;
  },
);
