import { existsSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { agentWorld } from '../../test/support/agents.js';
import { scriptedStart } from '../../test/support/agents-scripted.js';
import { verifies } from '../../test/support/verifies.js';
import { Session, SessionManager } from './process.js';

const PLAY = { turns: [[{ say: 'one' }], [{ say: 'two' }]] } as const;

async function publishedWorld() {
  const agents = await agentWorld();
  const { command, args, environment, workingDirectory } = await scriptedStart(agents, 'claude', PLAY);
  const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? '']));
  const config = { working_dir: workingDirectory, command, args, env, driver: 'claude' as const };
  return { agents, config, [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose]() };
}

describe('the published names', () => {
  verifies(
    'P02',
    'start an agent with the published configuration and answer in the published shape',
    async () => {
      await using world = await publishedWorld();
      const session = new Session(world.config);
      expect([session.id(), session.state()]).toEqual([expect.stringMatching(/^ses_/), 'creating']);
      await session.start();
      expect(session.state()).toBe('ready');
      expect(await session.executePrompt('hello')).toMatchObject({
        exit_code: null,
        stdout: 'one',
        stderr: expect.any(String),
        duration_ms: expect.any(Number),
        tests_passed: null,
        context_usage: expect.any(Number),
      });
      expect(session.info()).toMatchObject({
        prompt_count: 1,
        config: { timeout: '1h', persist: true, state_path: null, verbose: false, driver: 'claude' },
      });
      expect(JSON.stringify(session.info())).not.toContain(world.agents.stateDirectory);
      await session.end();
      expect(session.state()).toBe('ended');
      expect(existsSync(`${world.config.working_dir}/.holdfast/sessions`)).toBe(true);
      expect(readFileSync(`${world.config.working_dir}/.holdfast/.gitignore`, 'utf8')).toBe('*\n');
    },
  );

  verifies('P02', 'keep nothing on disk if that is configured', async () => {
    await using world = await publishedWorld();
    const session = new Session({ ...world.config, persist: false, timeout: '90s' });
    await session.start();
    await session.terminate();
    expect(existsSync(`${world.config.working_dir}/.holdfast/sessions`)).toBe(false);
    expect(() => new Session({ ...world.config, timeout: 'soon' })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  verifies('P09', 'manage sessions: one current, fresh ones, a maximum number, all terminated', async () => {
    await using world = await publishedWorld();
    const manager = new SessionManager(world.config, { maxSessions: 2 });
    const first = await manager.getOrCreateSession();
    const fresh = await manager.createFreshSession();
    expect([manager.currentSession(), manager.getSession(first.id())]).toEqual([fresh, first]);
    expect([fresh.state(), first.state()]).toEqual(['ready', 'ended']);
    expect([manager.sessionCount(), manager.activeSessionCount()]).toEqual([2, 1]);
    expect(manager.listSessions().map(({ state }) => state)).toEqual(
      expect.arrayContaining(['ended', 'ready']),
    );
    await manager.endCurrentSession();
    await manager.terminateAll();
    expect(manager.activeSessionCount()).toBe(0);
  });
});
