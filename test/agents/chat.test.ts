import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { machine } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import { Pane } from '../support/tmux.js';
import { REAL_AGENTS, settingsFor } from './real-agents.js';
import { itDrives } from './stage.js';

const RUN = { action: 'bash', command: 'touch "{{outside}}/ran"' } as const;
const { claude, gemini } = REAL_AGENTS;

// opencode ends its turn at a denial, so it needs other replies.
for (const agent of [claude, gemini]) {
  itDrives(
    agent,
    `the real ${agent.name} in a chat is denied and allowed in place, and goes on as it was started after kill -9`,
    [
      { toolCalls: [RUN] },
      { text: 'It was denied.' },
      { toolCalls: [RUN] },
      { text: 'It was allowed.' },
      { text: 'After the kill.' },
    ],
    async ({ world, model, places, outside }) => {
      await using pc = await machine();
      places.push(pc.dir.path);
      const place = { home: world.dir.at('home'), baseUrl: model.url };
      const preset = agent === claude ? {} : { preset: agent.name };
      pc.configure({ agents: { real: { ...settingsFor(agent, place), ...preset } } });
      await using pane = await Pane.open(pc, { columns: 100, rows: 50 });
      const send = async (text: string) => {
        await pane.type(text);
        await pane.press('Enter');
      };
      const ready = (prompts: number) =>
        pane.until((rows) => rows.filter((row) => row.startsWith('you>')).length === prompts);
      await pane.holdfast('chat --agent real --session talk --permissions ask');
      await ready(1);
      await send('do it');
      const card = (await pane.until(/^answer>$/m)).join('\n');
      expect(card).toMatch(/^┃ .*touch/m);
      await send('2');
      await pane.until('Answered: Deny');
      await ready(2);
      expect(existsSync(`${outside}/ran`)).toBe(false);
      await send('do it again');
      await pane.until((rows) => rows.filter((row) => row === 'answer>').length === 1);
      await send('1');
      await pane.until('Answered: Allow once');
      await until(() => existsSync(`${outside}/ran`));
      await ready(3);
      process.kill(await pane.program(), 'SIGKILL');
      await pane.until(/exit code 137/);
      await pane.makeSane();
      await pane.holdfast('chat --resume talk');
      await pane.until('you> do it again');
      await pane.until(/^you>$/m);
      await send('and now');
      await pane.until(/context \d+ % full/);
      expect((await pane.history()).slice(-4_000)).not.toMatch(/started with other options|accept-changes/);
      await pane.press('C-d');
      // Closing the terminal while the agent says goodbye must leave nothing: the stage looks for it.
      await pane.hangUp();
    },
  );
}
