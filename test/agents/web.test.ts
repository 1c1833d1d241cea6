import { expect } from 'vitest';
import { until } from '../support/processes.js';
import { CHECK, PLAN } from '../support/run-world.js';
import { webWorld } from '../support/web-world.js';
import { REAL_AGENTS } from './real-agents.js';
import { runGround } from './run-ground.js';
import { ASKS_AND_BEGINS, QUESTION } from './run-plays.js';
import { itDrives } from './stage.js';

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex]) {
  itDrives(
    agent,
    `W02: what the real ${agent.name} asks in a run is answered through the page, which guides it and shows it to its end`,
    ASKS_AND_BEGINS,
    async (stage) => {
      await using world = await runGround(agent, stage);
      await using web = await webWorld({ machine: world });
      const phone = await web.signIn('steer', 'phone');
      const options = ['--agent', 'player', '--verify', CHECK, '--max-iterations', '9'];
      const { data: started } = await world.json(['run', PLAN, '--detach', ...options]);
      const cards = async () => (await phone.get('/api/state')).json.cards;
      await until(async () => (await cards()).length === 1);
      const [{ set, row }] = await cards();
      expect(set.questions).toMatchObject([{ title: QUESTION.title, prompt: QUESTION.prompt }]);
      expect(row).toContain(started.sessionId);
      const run = `/api/runs/${started.sessionId}`;
      expect((await phone.get(run)).json).toMatchObject({ id: started.sessionId, hasJournal: true });
      expect((await phone.post(`${run}/request`, { kind: 'guidance', text: 'Mind the edges' })).status).toBe(
        200,
      );
      const events = await phone.events(`?run=${started.sessionId}`);
      const answers = [{ questionIndex: 0, selectedOption: 'Big' }];
      const answered = await phone.post(`/api/questions/${set.sessionId}/answer`, { answers, isWhole: true });
      expect(answered.json).toMatchObject({ set: { status: 'completed', actor: 'page:phone' } });
      await until(() => ['completed', 'halted', 'paused'].includes(world.state().status));
      expect(world.state()).toMatchObject({ status: 'completed', open_questions: [] });
      await until(() => events.of('entry').some(({ event }) => event.type === 'run-end'));
      const sequence = events.of('entry').map(({ seq }) => seq);
      expect(sequence).toEqual([...new Set(sequence)].sort((a, b) => a - b));
      expect(stage.model.requests().some((request) => request.lacks(['Mind the edges']).length === 0)).toBe(
        true,
      );
      events.close();
      const { data: report } = await world.json(['report']);
      expect(report.questions).toMatchObject([
        { title: QUESTION.title, answer: 'Big', answeredBy: 'page:phone' },
      ]);
    },
  );
}
