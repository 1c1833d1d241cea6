import { expect } from 'vitest';
import { isGone } from '../support/detached-world.js';
import { until } from '../support/processes.js';
import { CHECK, PLAN } from '../support/run-world.js';
import { REAL_AGENTS } from './real-agents.js';
import { promptsTold, runGround } from './run-ground.js';
import { ASKS_FIRST, QUESTION } from './run-plays.js';
import { itDrives } from './stage.js';

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex]) {
  itDrives(
    agent,
    `a run in the background with the real ${agent.name} waits for an answer, is killed with kill -9, and resume goes on with it`,
    ASKS_FIRST,
    async (stage) => {
      await using world = await runGround(agent, stage);
      const options = ['--agent', 'player', '--verify', CHECK, '--max-iterations', '9'];
      const { data: started } = await world.json(['run', PLAN, '--detach', ...options]);
      expect(started).toMatchObject({ exitCode: null, isResumed: false });
      const loop = async () => (await world.json(['status'])).data.loop;
      await until(async () => (await loop()).waitsFor !== null);
      const waiting = await loop();
      expect(waiting).toMatchObject({
        status: 'running',
        waitsFor: {
          kind: 'answer',
          question: { title: QUESTION.title, prompt: QUESTION.prompt, from: 'agent' },
        },
        owner: { pid: started.pid, isAlive: true },
      });
      process.kill(started.pid, 'SIGKILL');
      await until(() => isGone(started.pid));
      expect(await loop()).toMatchObject({ status: 'suspended', owner: { isAlive: false } });
      const { id } = waiting.waitsFor.question;
      const answered = await world.run(['answer', id, '--option', 'Big'], { cwd: world.dir.path });
      expect(answered.stderr).toContain(`Resume it with: cd '${world.project}' && holdfast resume`);
      const resumed = await world.run(['resume']);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(resumed.stderr).toContain('Resuming with the same options: player, permissions edits');
      await until(() => ['completed', 'halted', 'paused'].includes(world.state().status));
      expect(world.state()).toMatchObject({ status: 'completed', open_questions: [] });
      const told = stage.model.requests().at(-1);
      expect(told?.matches(/Answers to what you asked earlier/g)).toHaveLength(1);
      expect(promptsTold(stage).slice(0, 3)).toEqual(['1 of RED', '1 of RED', '1 of GREEN']);
      await until(async () => (await loop()).owner === null);
      const { data: report } = await world.json(['report']);
      expect(report).toMatchObject({
        status: 'completed',
        questions: [{ id, title: QUESTION.title, answer: 'Big' }],
        testsAfter: { passing: 2, failing: 0, total: 2 },
      });
      expect(report.files.map(({ path }: { path: string }) => path)).toContain('adder.mjs');
    },
  );
}
