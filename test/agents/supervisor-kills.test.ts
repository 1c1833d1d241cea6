import { expect } from 'vitest';
import type { ModelTurn } from '../support/fake-model/server.mjs';
import { machine } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import { REAL_AGENTS, settingsFor } from './real-agents.js';
import { itDrives } from './stage.js';

const TURNS: readonly ModelTurn[] = [
  { text: 'The first answer.' },
  { text: 'It begins, and then it takes its time.', chunkChars: 8, fault: { type: 'stall' } },
];

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex]) {
  itDrives(
    agent,
    `the real ${agent.name} goes on in its conversation after kill -9 of its supervisor in a prompt`,
    TURNS,
    async ({ world, model, places, hasRecorded }) => {
      await using pc = await machine();
      places.push(pc.dir.path);
      const place = { home: world.dir.at('home'), baseUrl: model.url };
      pc.configure({ agents: { real: settingsFor(agent, place) } });
      const first = await pc.run(['exec', '--agent', 'real', 'the first prompt']);
      expect(first, first.stderr).toMatchObject({ code: 0 });
      const [, id = ''] = /--session (ses_[0-9a-f-]{36})/.exec(first.stderr) ?? [];
      const killed = pc.start(['exec', '--session', id, 'the second prompt']);
      await until(() => model.requests().at(-1)?.fault === 'stall' && hasRecorded('the second prompt'));
      killed.child.kill('SIGKILL');
      await killed.ended;
      expect((await pc.json(['processes'])).data).toMatchObject([
        { id, standing: 'interrupted', openPrompt: { number: 2 } },
      ]);
      const again = await pc.run(['exec', '--session', id, 'the last prompt']);
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(again.stdout.trim()).not.toBe('');
      expect(
        model
          .requests()
          .at(-1)
          ?.lacks(['the first prompt', 'The first answer.', 'the second prompt', 'the last prompt']),
      ).toEqual([]);
    },
  );
}
