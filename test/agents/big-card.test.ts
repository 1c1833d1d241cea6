import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { machine } from '../support/holdfast-binary.js';
import { REAL_AGENTS, settingsFor } from './real-agents.js';
import { nextCard } from './run-ground.js';
import { itDrives } from './stage.js';

/** 40 kB of harmless words, and then what matters. */
const HARMLESS = Array.from({ length: 400 }, (_, at) => `echo ${at} ${'harmless '.repeat(11)}`).join('\n');
const DANGER = 'touch "{{outside}}/ran"';
const WORDS = 'Use the package script instead of this.';

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex]) {
  itDrives(
    agent,
    `R12: 40 kB of a command of the real ${agent.name} are on the card to their dangerous end, and a denial's words reach it`,
    [{ toolCalls: [{ action: 'bash', command: `${HARMLESS}\n${DANGER}` }] }, { text: 'I see.' }],
    async ({ world, model, places, outside }) => {
      await using pc = await machine();
      places.push(pc.dir.path);
      const place = { home: world.dir.at('home'), baseUrl: model.url };
      pc.configure({ agents: { real: settingsFor(agent, place) } });
      const run = pc.start(['exec', '--agent', 'real', '--permissions', 'ask', 'go']);
      const card = await nextCard(run, () => pc.json(['questions']));
      const { stdout: shown } = await pc.run(['questions', 'show', card.sessionId]);
      const last = DANGER.replace('{{outside}}', outside);
      expect(shown).toContain(`│ ${last}`);
      expect(shown.match(/echo \d+ harmless/g)).toHaveLength(400);
      const answered = await pc.run(['answer', card.sessionId, '--option', 'Deny', '--text', WORDS]);
      expect(answered.code, answered.stderr).toBe(0);
      const { code, stdout, stderr } = await run.ended;
      expect([code, stdout.trim()], stderr).toEqual([0, 'I see.']);
      expect(existsSync(join(outside, 'ran'))).toBe(false);
      expect(model.requests().at(-1)?.lacks([WORDS])).toEqual([]);
    },
  );
}
