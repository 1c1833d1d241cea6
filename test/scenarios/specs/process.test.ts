import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMarked } from '../../../src/programs/index.js';
import {
  ContextTracker,
  Session,
  SessionConfig,
  SessionId,
  SessionManager,
  type SessionManagerOptions,
  SessionState,
} from '../../../src/published/process.js';
import { listDirectory, nodeFileSystem } from '../../../src/storage/index.js';
import { agentWorld, eventually, kill } from '../../support/agents.js';
import { type ScriptedPlay, scriptedStart } from '../../support/agents-scripted.js';

// One test for each public function, acceptance criterion and testing requirement of the specification. Names quote it.

const HANGS: ScriptedPlay = { turns: [[{ say: 'working' }, { hang: true }]] };

async function specWorld(play: ScriptedPlay = { turns: [[{ say: 'one' }], [{ say: 'two' }]] }) {
  const agents = await agentWorld();
  const { command, args, environment, workingDirectory } = await scriptedStart(agents, 'claude', play);
  const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? '']));
  const config = { working_dir: workingDirectory, command, args, env, driver: 'claude' as const };
  const begun: (Session | SessionManager)[] = [];
  return {
    config,
    dir: agents.dir,
    sessionsDir: join(workingDirectory, '.holdfast', 'sessions'),
    session(more: SessionConfig = {}): Session {
      const session = new Session({ ...config, ...more });
      begun.push(session);
      return session;
    },
    async started(more: SessionConfig = {}): Promise<Session> {
      const session = this.session(more);
      await session.start();
      return session;
    },
    manager(options: SessionManagerOptions = {}, more: SessionConfig = {}): SessionManager {
      const manager = new SessionManager({ ...config, ...more }, options);
      begun.push(manager);
      return manager;
    },
    async [Symbol.asyncDispose]() {
      for (const one of begun) await ('terminateAll' in one ? one.terminateAll() : one.terminate());
      await agents[Symbol.asyncDispose]();
    },
  };
}

/** The processes of the agents that run. */
function agentPids(world: Awaited<ReturnType<typeof specWorld>>): number[] {
  const records = listDirectory(nodeFileSystem, join(world.config.working_dir, '.holdfast', 'programs'));
  const markers = records.map((name) => name.replace(/\.json$/, ''));
  return markers.flatMap((marker) => findMarked(nodeFileSystem, marker)).map(({ pid }) => pid);
}

/** Waits until the agent has heard its prompt. */
function isHeard(world: Awaited<ReturnType<typeof specWorld>>): Promise<void> {
  return eventually(() => existsSync(world.dir.at('prompts.jsonl')));
}

describe('SessionId', () => {
  it('SessionId::new() and Default: a new UUID v4; Display writes "ses_{}"', () => {
    const [a, b] = [SessionId.new(), SessionId.default()];
    expect(a).toMatch(/^ses_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([a === b, SessionId.is(a), SessionId.is('ses_1')]).toEqual([false, true, false]);
  });
});

describe('SessionState', () => {
  const STATES = ['creating', 'ready', 'executing', 'paused', 'ended', 'error', 'terminated'] as const;

  it('has the published states, in snake_case', () => {
    const { isTerminal: _a, canExecute: _b, ...names } = SessionState;
    expect(Object.values(names)).toEqual(STATES);
  });

  it('is_terminal: Ended, Error and Terminated', () => {
    expect(STATES.filter(SessionState.isTerminal)).toEqual(['ended', 'error', 'terminated']);
  });

  it('can_execute: Ready alone', () => {
    expect(STATES.filter(SessionState.canExecute)).toEqual(['ready']);
  });
});

describe('SessionConfig', () => {
  it('Default', () => {
    expect(SessionConfig.default()).toEqual({
      working_dir: '.',
      command: 'claude',
      args: [],
      env: {},
      timeout: '1h',
      persist: true,
      state_path: null,
      verbose: false,
    });
  });

  it.each(['1h', '1h 30m', '90s', '250ms', '2 days', '1hour 5min'])(
    'timeout: "%s" is a duration',
    (timeout) => {
      expect(new Session({ timeout }).info().config.timeout).toBe(timeout);
    },
  );

  it.each(['soon', '', '10', '1 fortnight'])('timeout: "%s" is none', (timeout) => {
    expect(() => new Session({ timeout })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('Session', () => {
  it('Session::new: it has its id, is Creating, and nothing is started or written', async () => {
    await using world = await specWorld();
    const session = world.session();
    expect(session.info()).toMatchObject({ id: session.id(), state: 'creating', prompt_count: 0 });
    expect([SessionId.is(session.id()), existsSync(world.sessionsDir)]).toEqual([true, false]);
    await expect(session.executePrompt('x')).rejects.toMatchObject({
      code: 'PROCESS_NOT_READY',
      sessionId: session.id(),
      state: 'creating',
    });
  });

  it('id, state: the same id from construction to the end, also in the record', async () => {
    await using world = await specWorld();
    const session = world.session();
    const id = session.id();
    await session.start();
    expect([session.id(), session.state(), readdirSync(world.sessionsDir)]).toEqual([id, 'ready', [id]]);
  });

  it('start: a second one is refused, and says so', async () => {
    await using world = await specWorld();
    const session = await world.started();
    await expect(session.start()).rejects.toMatchObject({
      code: 'PROCESS_NOT_READY',
      message: `Session ${session.id()} cannot be started again: it is ready`,
      hint: 'It is already running: send it a prompt.',
    });
  });

  it('start: SessionStartFailed leaves the state Error and the id', async () => {
    await using world = await specWorld();
    const session = world.session({ command: world.dir.at('no-such-program') });
    const id = session.id();
    await expect(session.start()).rejects.toMatchObject({ code: 'PROCESS_START_FAILED', sessionId: id });
    expect([session.id(), session.state(), session.info().state]).toEqual([id, 'error', 'error']);
    const record = JSON.parse(readFileSync(join(world.sessionsDir, id, 'session.json'), 'utf8'));
    expect(record).toMatchObject({ id, state: 'error' });
  });

  it.each([true, false])(
    'start: a working_dir that is missing is refused, nothing is made (persist: %s)',
    async (persist) => {
      await using world = await specWorld();
      const working_dir = world.dir.at('missing', 'deep');
      const session = world.session({ working_dir, persist });
      await expect(session.start()).rejects.toMatchObject({
        code: 'PROCESS_START_FAILED',
        message: `Session ${session.id()} did not start: its working directory ${working_dir} does not exist`,
        hint: 'Make the directory first, or name another one.',
      });
      expect([session.state(), existsSync(world.dir.at('missing'))]).toEqual(['error', false]);
      await expect(world.manager({}, { working_dir }).createFreshSession()).rejects.toMatchObject({
        code: 'PROCESS_START_FAILED',
      });
      expect(existsSync(world.dir.at('missing'))).toBe(false);
    },
  );

  it('start: a working_dir that is a file is refused as what it is', async () => {
    await using world = await specWorld();
    const working_dir = world.dir.at('a-file');
    writeFileSync(working_dir, '');
    const words = `its working directory ${working_dir} is not a directory`;
    await expect(world.session({ working_dir }).start()).rejects.toMatchObject({
      code: 'PROCESS_START_FAILED',
      message: expect.stringContaining(words),
    });
  });

  it('execute_prompt: the published response, prompt after prompt', async () => {
    await using world = await specWorld();
    const session = await world.started();
    expect(await session.executePrompt('first')).toEqual({
      exit_code: null,
      stdout: 'one',
      stderr: expect.any(String),
      duration_ms: expect.any(Number),
      made_changes: false,
      tests_passed: null,
      files_changed: 0,
      context_usage: expect.any(Number),
    });
    expect((await session.executePrompt('second')).stdout).toBe('two');
  });

  it('execute_prompt: an agent that fails is a rejection with its words, and the session is Ready', async () => {
    const play: ScriptedPlay = {
      turns: [[{ say: 'half' }, { fail: 'model exploded' }], [{ say: 'better' }]],
    };
    await using world = await specWorld(play);
    const session = await world.started();
    const error = await session.executePrompt('go').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'PROMPT_FAILED',
      reason: 'failed',
      message: expect.stringContaining('model exploded'),
      response: { stdout: expect.stringContaining('half') },
    });
    expect(session.state()).toBe('ready');
    expect((await session.executePrompt('again')).stdout).toBe('better');
  });

  it('execute_prompt: an agent that is killed is a rejection that names the signal, and the state is Error', async () => {
    await using world = await specWorld(HANGS);
    const session = await world.started();
    const answer = session.executePrompt('go').catch((thrown: unknown) => thrown);
    await isHeard(world);
    for (const pid of agentPids(world)) kill(pid);
    expect(await answer).toMatchObject({
      code: 'PROMPT_FAILED',
      reason: 'died',
      message: expect.stringContaining('SIGKILL'),
    });
    expect(session.state()).toBe('error');
  });

  it('execute_prompt: SessionTimeout, after the configured timeout', async () => {
    await using world = await specWorld(HANGS);
    const session = await world.started({ timeout: '300ms' });
    await expect(session.executePrompt('go')).rejects.toMatchObject({ code: 'PROMPT_TIMED_OUT' });
  });

  it('get_context_usage and info', async () => {
    await using world = await specWorld();
    const session = await world.started();
    await session.executePrompt('go');
    expect(session.getContextUsage()).toBe(session.info().context_usage);
    expect(session.info()).toMatchObject({
      id: session.id(),
      state: 'ready',
      created_at: expect.any(String),
      last_activity: expect.any(String),
      prompt_count: 1,
      total_execution_ms: expect.any(Number),
      config: { timeout: '1h', persist: true, state_path: null, env: Object.keys(world.config.env).sort() },
    });
  });

  it('end: Ended; before a start as well', async () => {
    await using world = await specWorld();
    const unstarted = world.session();
    await unstarted.end();
    expect(unstarted.state()).toBe('ended');
    await expect(unstarted.start()).rejects.toMatchObject({ code: 'PROCESS_NOT_READY', state: 'ended' });
    const session = await world.started();
    await session.end();
    await expect(session.executePrompt('x')).rejects.toMatchObject({ code: 'PROCESS_NOT_READY' });
  });

  it('terminate: in the middle of a prompt that is rejected with it', async () => {
    await using world = await specWorld(HANGS);
    const session = await world.started();
    const answer = session.executePrompt('go').catch((thrown: unknown) => thrown);
    await isHeard(world);
    await session.terminate();
    expect(await answer).toMatchObject({
      code: 'PROMPT_FAILED',
      message: `Session ${session.id()} did not answer: it was terminated before the answer came`,
    });
    expect(session.state()).toBe('terminated');
  });
});

describe('ContextTracker', () => {
  it('update_from_output: "Context: 45%" or "context usage: 45%"; usage_percent is at most 100', () => {
    const tracker = new ContextTracker();
    expect(tracker.usagePercent()).toBe(0);
    for (const [output, percent] of [
      ['Context: 45% used', 45],
      ['context usage: 60%', 60],
      ['nothing about it', 60],
      ['Context: 150%', 100],
    ] as const) {
      tracker.updateFromOutput(output);
      expect(tracker.usagePercent()).toBe(percent);
    }
  });

  it('estimates tokens from output length, four characters each', () => {
    const tracker = new ContextTracker();
    tracker.updateFromOutput('x'.repeat(400));
    expect(tracker.tokens).toBe(100);
  });

  it('reset', () => {
    const tracker = new ContextTracker();
    tracker.updateFromOutput('Context: 45%');
    tracker.reset();
    expect([tracker.usagePercent(), tracker.tokens]).toEqual([0, 0]);
  });

  it('updateFromText, the name of release 0.1, still works', () => {
    const tracker = new ContextTracker();
    tracker.updateFromText('Context: 45%');
    expect(tracker.usagePercent()).toBe(45);
  });
});

describe('SessionManager', () => {
  it('get_or_create_session: the current one; a new one once that is terminal', async () => {
    await using world = await specWorld();
    const manager = world.manager();
    const first = await manager.getOrCreateSession();
    expect(first).toBeInstanceOf(Session);
    expect(await manager.getOrCreateSession()).toBe(first);
    expect((await first.executePrompt('go')).stdout).toBe('one');
    await first.end();
    expect((await manager.getOrCreateSession()).id()).not.toBe(first.id());
  });

  it('create_fresh_session, get_session, current_session, list_sessions, session_count, active_session_count', async () => {
    await using world = await specWorld();
    const manager = world.manager();
    expect([manager.currentSession(), manager.listSessions(), manager.sessionCount()]).toEqual([
      undefined,
      [],
      0,
    ]);
    const first = await manager.createFreshSession();
    const second = await manager.createFreshSession();
    expect([manager.currentSession(), manager.getSession(first.id())]).toEqual([second, first]);
    expect(manager.getSession(SessionId.new())).toBeUndefined();
    expect(new Set(manager.listSessions().map(({ id }) => id))).toEqual(new Set([first.id(), second.id()]));
    expect([manager.sessionCount(), manager.activeSessionCount()]).toEqual([2, 1]);
  });

  it('end_current_session: it is Ended, and there is no current one', async () => {
    await using world = await specWorld();
    const manager = world.manager();
    const session = await manager.getOrCreateSession();
    await manager.endCurrentSession();
    expect([session.state(), manager.currentSession()]).toEqual(['ended', undefined]);
    await manager.endCurrentSession();
  });

  it('terminate_all', async () => {
    await using world = await specWorld();
    const manager = world.manager();
    const session = await manager.getOrCreateSession();
    await manager.terminateAll();
    expect([session.state(), manager.activeSessionCount()]).toEqual(['terminated', 0]);
  });
});

describe('Acceptance Criteria', () => {
  it('Session creation with configuration: the agent has its directory, arguments and environment', async () => {
    await using world = await specWorld();
    const session = await world.started();
    await session.executePrompt('hello there');
    expect(readFileSync(world.dir.at('prompts.jsonl'), 'utf8')).toContain('hello there');
  });

  it('Session state monitoring: creating, ready, executing, ready, ended', async () => {
    await using world = await specWorld();
    const session = world.session();
    const states = [session.state()];
    await session.start();
    states.push(session.state());
    const answer = session.executePrompt('go');
    states.push(session.state());
    await answer;
    states.push(session.state());
    await session.end();
    expect([...states, session.state()]).toEqual(['creating', 'ready', 'executing', 'ready', 'ended']);
  });

  it('Session persistence for recovery: the record holds what a later process needs, and no value of env', async () => {
    await using world = await specWorld();
    const session = await world.started({ state_path: world.dir.at('kept') });
    await session.executePrompt('go');
    const text = readFileSync(world.dir.at('kept', session.id(), 'session.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ resume: { id: expect.any(String) }, prompt_count: 1 });
    expect(text).not.toContain(String(world.config.env.HOLDFAST_SCRIPTED_STATE));
  });

  it('Session persistence, persist: false: nothing is kept', async () => {
    await using world = await specWorld();
    const session = await world.started({ persist: false });
    await session.end();
    expect(existsSync(world.sessionsDir)).toBe(false);
  });

  it('Multiple concurrent session support', async () => {
    await using world = await specWorld();
    const sessions = await Promise.all([world.started(), world.started()]);
    const answers = await Promise.all(sessions.map((session) => session.executePrompt('go')));
    expect(answers.map(({ stdout }) => stdout)).toEqual(['one', 'one']);
  });
});

describe('Testing Requirements', () => {
  it('1. Session creates and starts successfully; 2. Prompt execution returns response; 5. Session ends gracefully', async () => {
    await using world = await specWorld();
    const session = await world.started();
    expect((await session.executePrompt('go')).stdout).toBe('one');
    await session.end();
    const record = JSON.parse(readFileSync(join(world.sessionsDir, session.id(), 'session.json'), 'utf8'));
    expect(record).toMatchObject({ state: 'ended', ended: { reason: 'ended' } });
    expect(agentPids(world)).toEqual([]);
  });

  it('3. Session state transitions correctly: one prompt at a time', async () => {
    await using world = await specWorld(HANGS);
    const session = await world.started();
    const answer = session.executePrompt('go').catch(() => {});
    await expect(session.executePrompt('too')).rejects.toMatchObject({ state: 'executing' });
    await session.terminate();
    await answer;
  });

  it('4. Context usage is tracked', async () => {
    await using world = await specWorld({
      turns: [[{ say: 'x' }, { usage: { input: 100_000, output: 10 } }]],
    });
    const session = await world.started();
    const { context_usage } = await session.executePrompt('go');
    expect(context_usage).toBeGreaterThan(0);
    expect(session.getContextUsage()).toBe(context_usage);
  });

  it('6. Manager creates fresh sessions; 8. Terminated sessions are cleaned up: they make room', async () => {
    await using world = await specWorld();
    const manager = world.manager({ maxSessions: 1 });
    const first = await manager.createFreshSession();
    await first.terminate();
    const second = await manager.createFreshSession();
    expect([second.id() === first.id(), second.state(), manager.activeSessionCount()]).toEqual([
      false,
      'ready',
      1,
    ]);
  });

  it('7. Manager limits concurrent sessions: TooManySessions', async () => {
    await using world = await specWorld();
    const manager = world.manager({ maxSessions: 2 });
    const wanted = [manager.createFreshSession(), manager.createFreshSession(), manager.createFreshSession()];
    const outcomes = await Promise.allSettled(wanted);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toMatchObject([{ code: 'TOO_MANY_PROCESSES' }]);
  });
});
