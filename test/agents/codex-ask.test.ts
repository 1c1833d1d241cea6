import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ModelTurn } from '../support/fake-model/server.mjs';
import { machine } from '../support/holdfast-binary.js';
import { REAL_AGENTS, settingsFor } from './real-agents.js';
import { nextCard, runGround } from './run-ground.js';
import { WHOLE_WAY } from './run-plays.js';
import { itDrives } from './stage.js';

const { codex } = REAL_AGENTS;
const COMMAND = 'touch "{{outside}}/ran"; echo ran > ran.txt';
const TURNS: readonly ModelTurn[] = [
  { toolCalls: [{ action: 'bash', command: COMMAND }] },
  { text: 'Done.' },
];

for (const [option, isAllowed] of [
  ['Allow once', true],
  ['Deny', false],
] as const) {
  itDrives(
    codex,
    `a command of the real codex waits in the inbox, and ${isAllowed ? 'runs when it is allowed' : 'does not run when it is denied'}`,
    TURNS,
    async ({ world, model, places, outside }) => {
      await using pc = await machine();
      places.push(pc.dir.path);
      const place = { home: world.dir.at('home'), baseUrl: model.url };
      pc.configure({ agents: { real: settingsFor(codex, place) } });
      const run = pc.start(['exec', '--agent', 'real', '--permissions', 'ask', 'go']);
      const card = await nextCard(run, () => pc.json(['questions']));
      expect(card.questions[0].prompt).toContain(COMMAND.replace('{{outside}}', outside));
      expect(existsSync(join(outside, 'ran'))).toBe(false);
      expect(await pc.run(['answer', card.sessionId, '--option', option])).toMatchObject({ code: 0 });
      const { code, stdout, stderr } = await run.ended;
      expect([code, stdout.trim()], stderr).toEqual([0, 'Done.']);
      expect(stderr).not.toContain('cannot ask');
      expect(existsSync(join(outside, 'ran'))).toBe(isAllowed);
      if (!isAllowed) expect(stderr).toContain('✗ denied (a person)');
    },
  );
}

itDrives(
  codex,
  'a run with the real codex in which a person is asked about each change and command comes to its end',
  WHOLE_WAY,
  async (stage) => {
    await using world = await runGround(codex, stage);
    const run = world.begin(['--permissions', 'ask', '--attended', '--max-iterations', '9']);
    const asked: string[] = [];
    const next = () => nextCard(run, () => world.json(['questions']));
    for (let card = await next(); card !== undefined; card = await next()) {
      asked.push(card.questions[0].prompt);
      const answer = await world.run(['answer', card.sessionId, '--option', 'Allow once']);
      expect(answer.code, answer.stderr).toBe(0);
    }
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    expect(world.state()).toMatchObject({ status: 'completed' });
    // The check needs no permission: it was told to run it. What nobody told it, it had to ask for.
    expect(asked.filter((prompt) => prompt.includes('sed -i'))).toHaveLength(1);
    expect(asked.filter((prompt) => prompt.includes('adder.test.mjs'))).toHaveLength(1);
    expect(readFileSync(join(world.project, 'adder.mjs'), 'utf8')).toMatch(/^\/\/ Plain sums\.\n/);
    expect((await world.json(['report'])).data).toMatchObject({ denials: [] });
  },
);
