import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { PLAN } from '../support/run-world.js';
import { REAL_AGENTS } from './real-agents.js';
import { promptsTold, runGround } from './run-ground.js';
import { answers, DONE, prompts, script, writes } from './run-plays.js';
import { itDrives } from './stage.js';

/** One criterion wants new behaviour, one that nothing changes, one a document. */
const REAL_PLAN = `# PRP: Shout

## Goal

\`greet\` can shout.

## Success Criteria

- [ ] With the option \`shout\` the greeting is in capital letters
- [ ] Without the option nothing changes
- [ ] README.md describes the option
`;
const GREET = "export const greet = (name) => 'Hello, ' + name + '!';\n";
const SHOUT = `export function greet(name, { shout = false } = {}) {
  const words = 'Hello, ' + name + '!';
  return shout ? words.toUpperCase() : words;
}
`;
const HAD_TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
import { greet } from '../greet.mjs';
test('greets', () => assert.equal(greet('Ada'), 'Hello, Ada!'));
`;
const NEW_TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
import { greet } from '../greet.mjs';
test('with shout the greeting is in capital letters', () => assert.equal(greet('Ada', { shout: true }), 'HELLO, ADA!'));
test('without the option nothing changes', () => assert.equal(greet('Ada'), 'Hello, Ada!'));
`;
const README = '# Greet\n\n`greet(name, { shout: true })` greets in capital letters.\n';

/** As an honest agent does it: one test that fails, one that passes already, nothing to tidy, the README. */
const HONEST = script(
  ...answers(prompts('RED'), writes({ 'test/shout.test.mjs': NEW_TESTS }), DONE),
  ...answers(prompts('GREEN'), writes({ 'greet.mjs': SHOUT }), DONE),
  ...answers(prompts('REFACTOR'), DONE),
  ...answers(prompts('DOCUMENT'), writes({ 'README.md': README }), DONE),
);
/** It says that it is done before it has done anything, and is told what is missing. */
const DOCUMENTS_ONLY = script(
  ...answers(prompts('WORK', '1'), DONE),
  ...answers(prompts('WORK', '2'), writes({ 'README.md': README }), DONE),
);
/** A run that goes wrong must come to an end. */
const LIMIT = ['--max-iterations', '6'];

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex]) {
  itDrives(
    agent,
    `R04: the real ${agent.name} finishes a plan with a regression and a documentation criterion, a turn per phase`,
    HONEST,
    async (stage) => {
      await using world = await runGround(agent, stage);
      world.put(PLAN, REAL_PLAN);
      world.put('greet.mjs', GREET);
      world.put('test/greet.test.mjs', HAD_TESTS);
      const { code, events } = await world.events(LIMIT);
      expect(code, JSON.stringify(events.slice(-5))).toBe(0);
      expect(promptsTold(stage)).toEqual(['1 of RED', '1 of GREEN', '1 of REFACTOR', '1 of DOCUMENT']);
      expect(world.state()).toMatchObject({
        phases_completed: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'],
        criteria_count: 3,
        new_tests: 2,
      });
      const [first] = stage.model.requests();
      expect(first?.lacks(['### From the plan: Goal', '- [ ] Without the option nothing changes'])).toEqual(
        [],
      );
      expect(readFileSync(join(world.project, 'greet.mjs'), 'utf8')).toBe(SHOUT);
    },
  );

  itDrives(
    agent,
    `R04: the real ${agent.name} finishes a plan about documents with --phases work, and hears what is missing`,
    DOCUMENTS_ONLY,
    async (stage) => {
      await using world = await runGround(agent, stage);
      world.put(PLAN, '# PRP: Manual\n\n## Success Criteria\n\n- [ ] README.md describes the option\n');
      const { code, events } = await world.events([...LIMIT, '--phases', 'work', '--verify', 'true']);
      expect(code, JSON.stringify(events.slice(-5))).toBe(0);
      expect(promptsTold(stage)).toEqual(['1 of WORK', '2 of WORK']);
      expect(world.state()).toMatchObject({ status: 'completed', phases_completed: ['WORK'] });
      const told = 'The gate is not met: no files changed (you said that the phase was done; it is not)';
      expect(stage.model.requests().at(-1)?.lacks([told])).toEqual([]);
    },
  );
}
