import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { machine } from '../support/holdfast-binary.js';
import { Pane } from '../support/tmux.js';
import { REAL_AGENTS, settingsFor } from './real-agents.js';
import { itDrives } from './stage.js';

const { claude } = REAL_AGENTS;

itDrives(
  claude,
  'the real claude in a chat survives Ctrl+C in a turn and kill -9 of the chat, and knows all turns afterwards',
  [
    { text: 'The first answer.' },
    { text: 'The second answer.' },
    { text: 'It begins, and then it takes its time.', chunkChars: 8, fault: { type: 'stall' } },
  ],
  async ({ world, model, places, hasRecorded }) => {
    await using pc = await machine();
    places.push(pc.dir.path);
    const place = { home: world.dir.at('home'), baseUrl: model.url };
    pc.configure({ agents: { real: settingsFor(claude, place) } });
    {
      await using pane = await Pane.open(pc, { columns: 100, rows: 40 });
      await pane.holdfast('chat --agent real --session talk');
      for (const [message, answer] of [
        ['the first message', 'The first answer.'],
        ['the second message', 'The second answer.'],
      ] as const) {
        await pane.until(/you>\s*$/m);
        await pane.type(message);
        await pane.press('Enter');
        await pane.until(answer);
      }
      await pane.until((rows) => rows.filter((row) => row.startsWith('you>')).length === 3);
      await pane.type('the third message');
      await pane.press('Enter');
      await pane.until('It begins');
      await pane.until(() => hasRecorded('the third message'));
      await pane.press('C-c');
      await pane.until('Interrupted. Returning to prompt.');
      process.kill(await pane.program(), 'SIGKILL');
      await pane.until(/exit code 137/);
      await pane.makeSane();
      await pane.holdfast('chat --resume talk');
      await pane.until('Resumed with 6 turns.');
      await pane.type('the last message');
      await pane.press('Enter');
      await pane.until(/context \d+ % full/);
      await pane.press('C-d');
      expect(await pane.exitCode()).toBe(0);
    }
    expect(
      model.requests().at(-1)?.lacks(['the first message', 'The second answer.', 'the last message']),
    ).toEqual([]);
    const file = readFileSync(join(pc.env.HOME ?? '', '.aurora', 'spawn', 'sessions', 'talk.jsonl'), 'utf8');
    for (const words of ['the first message', 'The first answer.', 'the third message', 'the last message'])
      expect(file).toContain(words);
  },
);
