import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseStatus, selfReportOf } from '../../src/sessions/loop/index.js';
import { converse } from '../support/agents.js';
import type { Script } from '../support/fake-model/server.mjs';
import { REAL_AGENTS } from './real-agents.js';
import { runGround } from './run-ground.js';
import { itDrives } from './stage.js';

const file = new URL('../fixtures/fake-model/as-agents-talk.json', import.meta.url);
const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: Record<string, Script> };

/** What must be heard of each shape, whoever says it. */
const HEARD: Readonly<Record<string, { text: string | RegExp; exitSignal: boolean | undefined }>> = {
  'block-alone': {
    text: /^I look at the project\.\n\n---PRP_PHASE_STATUS---\nSTATUS: COMPLETE\n/,
    exitSignal: true,
  },
  'block-quoted-first': {
    text: /I am not there yet\.\n\nHalf of it works\.\n---PRP_PHASE_STATUS---\n/,
    exitSignal: false,
  },
  'silent-worker': { text: '', exitSignal: undefined },
  talker: {
    text: /^First I say something\.\n\nSentence 1 without an end of line\. Sentence 2 .*Sentence 200 without an end of line\. ?$/,
    exitSignal: undefined,
  },
};

for (const agent of Object.values(REAL_AGENTS)) {
  for (const [shape, script] of Object.entries(scripts)) {
    itDrives(agent, `the real ${agent.name} is heard when it talks like: ${shape}`, script, async (stage) => {
      const { text, exitSignal } = HEARD[shape] ?? expect.fail(`no expectation for ${shape}`);
      const turn = await converse(await stage.start(), 'go');
      expect(turn.reason).toBe('completed');
      if (typeof text === 'string') expect(turn.text).toBe(text);
      else expect(turn.text).toMatch(text);
      expect(selfReportOf(parseStatus(turn.text)).exitSignal ?? undefined).toBe(exitSignal);
    });
  }

  itDrives(
    agent,
    `a run with the real ${agent.name} hears a block that begins a message, and needs one iteration`,
    withoutDirectory(scripts['block-alone']),
    async (stage) => {
      await using world = await runGround(agent, stage);
      const options = ['--phases', 'work', '--verify', 'true', '--permissions', 'bypass'];
      const { code, events } = await world.events([...options, '--max-iterations', '3']);
      expect(code, JSON.stringify(events.slice(-5))).toBe(0);
      const { data } = await world.json(['report']);
      expect(data).toMatchObject({ status: 'completed', usage: { iterations: 1 }, errors: [] });
      expect(readFileSync(join(world.project, 'made.txt'), 'utf8')).toBe('made\n');
    },
  );
}

/** A run has its own project; its agent writes there. */
function withoutDirectory(script: Script | undefined): Script {
  return JSON.parse(JSON.stringify(script).replaceAll('{{cwd}}/', ''));
}
