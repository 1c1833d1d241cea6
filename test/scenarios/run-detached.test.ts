import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DetachedWorld, detachedWorld, HANG, isGone } from '../support/detached-world.js';
import type { Json } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import { CHECK, notDone, PLAN, say, WHOLE_WAY } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';

const OTHER_PLAN = 'docs/prps/-other plan.md';

/** `holdfast run --detach`, as `/bp:autonomous` runs it; its checks and its agent are those of the project. */
async function detach(
  world: DetachedWorld,
  options: readonly string[] = [],
  plan = PLAN,
): Promise<{ code: number | null; data: Json }> {
  const { code, stdout, stderr } = await world.run([
    'run',
    '--detach',
    '--json',
    '--agent',
    'player',
    '--verify',
    CHECK,
    ...options,
    '--',
    plan,
  ]);
  expect(stderr).toBe('');
  return { code, data: JSON.parse(stdout) };
}

describe('a run in the background', () => {
  verifies(
    'L15',
    'without a session one is created, and the run goes on when the command is over',
    async () => {
      await using world = await detachedWorld(WHOLE_WAY);
      const { code, data } = await detach(world);
      expect(code).toBe(0);
      expect(data).toEqual({
        sessionId: expect.any(String),
        plan: PLAN,
        isResumed: false,
        pid: expect.any(Number),
        exitCode: null,
      });
      // Its files are written together; until they all are, who reads one of them alone may be too early.
      await until(() => isGone(data.pid));
      expect(world.state()).toMatchObject({
        session_id: data.sessionId,
        status: 'completed',
        usage: { iterations: 4 },
      });
    },
  );

  it('leaves its last words where the report finds them', async () => {
    await using world = await detachedWorld([HANG]);
    const { data } = await detach(world);
    const log = world.dir.at('holdfast home', 'state', 'runs', `${data.sessionId}.err`);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    // What a program that dies of a defect says; the run has its stderr open.
    writeFileSync(`/proc/${data.pid}/fd/2`, 'FATAL ERROR: heap out of memory \u001b[2J\n');
    process.kill(data.pid, 'SIGKILL');
    await until(() => isGone(data.pid));
    expect((await world.asideJson(['report'])).data.lastWords).toContain('FATAL ERROR: heap out of memory');
    const { stdout } = await world.run(['report']);
    expect(stdout).toContain('last words\n  FATAL ERROR: heap out of memory');
    expect(stdout).not.toContain('\u001b');
    expect((await world.run(['status'])).stderr).toContain('said: FATAL ERROR');
    // Those of an earlier start are not those of this one.
    const again = await detach(world);
    expect((await world.asideJson(['report'])).data.lastWords).toBeNull();
    await world.stop(again.data.pid);
  });

  it('belongs to no terminal and to no group of ours', async () => {
    await using world = await detachedWorld([HANG]);
    const { data } = await detach(world);
    const stat = readFileSync(`/proc/${data.pid}/stat`, 'utf8');
    const [, , group, session, terminal] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    expect([group, session, terminal]).toEqual([String(data.pid), String(data.pid), '0']);
  });

  verifies('L15', 'a session that was interrupted is resumed, by a stop or by kill -9', async () => {
    await using world = await detachedWorld([HANG]);
    const first = await detach(world);
    await until(() => world.prompts().length === 1);
    await world.stop(first.data.pid);
    expect(world.state()).toMatchObject({ status: 'suspended' });
    const second = await detach(world);
    expect(second).toMatchObject({ code: 0, data: { sessionId: first.data.sessionId, isResumed: true } });
    await until(() => world.prompts().length === 2);
    process.kill(second.data.pid, 'SIGKILL');
    await until(() => isGone(second.data.pid));
    const third = await detach(world);
    expect(third).toMatchObject({ code: 0, data: { sessionId: first.data.sessionId, isResumed: true } });
    await until(() => world.prompts().length === 3);
  });

  verifies('L15', 'while it runs nothing else is started, for this plan or another', async () => {
    await using world = await detachedWorld([HANG]);
    world.put(OTHER_PLAN, '# PRP\n\n### Success Criteria\n\n- [ ] other\n');
    const { data } = await detach(world);
    const refused = {
      code: 5,
      data: { success: false, code: 'LOCKED', error: expect.stringContaining(`process ${data.pid}`) },
    };
    expect(await detach(world)).toMatchObject(refused);
    expect(await detach(world, ['--new'])).toMatchObject(refused);
    expect(await detach(world, [], OTHER_PLAN)).toMatchObject(refused);
    // What was refused may still be on its way out.
    await until(() => world.runs().length === 1);
    expect(world.runs()).toEqual([data.pid]);
    expect(world.state()).toMatchObject({ session_id: data.sessionId, prp_file: PLAN });
  });

  verifies(
    'L15',
    'a session of another plan makes room in the archive when it is over, or told to',
    async () => {
      await using world = await detachedWorld([HANG]);
      world.put(OTHER_PLAN, '# PRP\n\n### Success Criteria\n\n- [ ] other\n');
      const first = await detach(world);
      await world.stop(first.data.pid);
      expect(await detach(world, [], OTHER_PLAN)).toMatchObject({
        code: 3,
        data: {
          code: 'CONFIRMATION_MISSING',
          error: `Another plan is in progress here: ${PLAN} (RED, suspended)`,
          hint: expect.stringContaining('start this one with --new, which archives it'),
        },
      });
      expect(world.state()).toMatchObject({ session_id: first.data.sessionId, status: 'suspended' });
      const second = await detach(world, ['--new'], OTHER_PLAN);
      expect(second).toMatchObject({ code: 0, data: { isResumed: false, plan: OTHER_PLAN } });
      // It holds the project by now; what was there before goes to the archive first.
      await until(() => world.state().session_id === second.data.sessionId);
      expect(world.state()).toMatchObject({ prp_file: OTHER_PLAN });
      expect(readdirSync(join(world.project, '.prp-session', 'archive'))).toEqual([first.data.sessionId]);
      await world.stop(second.data.pid);
      expect((await world.run(['run', '--abort', '--', OTHER_PLAN])).code).toBe(0);
      const third = await detach(world);
      expect(third).toMatchObject({ code: 0, data: { isResumed: false, plan: PLAN } });
      await world.stop(third.data.pid);
    },
  );

  verifies('L15', 'what a person must decide about is not decided: completed, halted, aborted', async () => {
    const nothing = Array(3).fill({ steps: [notDone] });
    await using world = await detachedWorld([...nothing, ...WHOLE_WAY]);
    const halting = await detach(world, ['--unattended']);
    await until(() => isGone(halting.data.pid));
    expect(await detach(world)).toMatchObject({
      code: 3,
      data: {
        code: 'CONFIRMATION_MISSING',
        hint: expect.stringContaining('--reset, --skip, --new, --abort'),
      },
    });
    const again = await detach(world, ['--reset']);
    expect(again).toMatchObject({ code: 0, data: { sessionId: halting.data.sessionId, isResumed: true } });
    await until(() => isGone(again.data.pid));
    expect(world.state()).toMatchObject({ status: 'completed' });
    expect(await detach(world)).toMatchObject({ code: 3, data: { hint: expect.stringMatching(/--new\.$/) } });
    world.script([HANG]);
    const fresh = await detach(world, ['--new']);
    expect(fresh).toMatchObject({ code: 0, data: { isResumed: false, sessionId: world.state().session_id } });
    expect(fresh.data.sessionId).not.toBe(halting.data.sessionId);
    await world.stop(fresh.data.pid);
    await world.run(['run', PLAN, '--agent', 'player', '--verify', CHECK, '--abort']);
    expect(await detach(world)).toMatchObject({
      code: 3,
      data: { code: 'CONFIRMATION_MISSING', hint: expect.stringMatching(/: --new\.$/) },
    });
    expect(await detach(world, ['--reset'])).toMatchObject({
      data: { error: expect.stringContaining('--new') },
    });
    await until(() => world.runs().length === 0);
  });

  it('does not start a new session on a tree that is not committed, unless told to', async () => {
    await using world = await detachedWorld([HANG]);
    execFileSync('git', ['init', '-q'], { cwd: world.project });
    world.put('notes.txt', 'mine');
    expect(await detach(world)).toMatchObject({
      code: 3,
      data: { code: 'CONFIRMATION_MISSING', hint: expect.stringContaining('--dirty') },
    });
    expect(existsSync(join(world.project, '.prp-session'))).toBe(false);
    expect(await detach(world, ['--dirty'])).toMatchObject({ code: 0 });
  });

  it('is given the options as they were typed', async () => {
    await using world = await detachedWorld([{ steps: [say('working')] }]);
    const told = 'printf "%s" "$HOLDFAST_RUN_OUTCOME" > "told \'em.txt"';
    const { data } = await detach(world, [
      '--unattended',
      '--max-iterations',
      '1',
      '--on-end',
      told,
      '--verify',
      'test -d docs',
    ]);
    await until(() => isGone(data.pid));
    expect(world.state()).toMatchObject({ status: 'paused', budget: { iterations: 1 } });
    expect(readFileSync(join(world.project, "told 'em.txt"), 'utf8')).toBe('limit');
  });

  it('says at once what is missing, and what it does not go with', async () => {
    await using world = await detachedWorld([HANG]);
    expect(await detach(world, [], 'docs/prps/none.md')).toMatchObject({
      code: 4,
      data: { code: 'PLAN_NOT_FOUND' },
    });
    expect(await detach(world, ['--dry-run'])).toMatchObject({ code: 2, data: { code: 'USAGE' } });
    expect(await detach(world, ['--abort'])).toMatchObject({ code: 2, data: { code: 'USAGE' } });
    await until(() => world.runs().length === 0);
  });

  it('tells a person which session it is and how to look at it', async () => {
    await using world = await detachedWorld([HANG]);
    const { code, stdout, stderr } = await world.run([
      'run',
      PLAN,
      '--detach',
      '--agent',
      'player',
      '--verify',
      CHECK,
    ]);
    expect(code).toBe(0);
    const id = world.state().session_id.slice(0, 8);
    expect(stdout).toMatch(
      new RegExp(`^run ${id} started in the background: ${PLAN} \\(process \\d+\\)\\n$`),
    );
    expect(stderr).toContain(`holdfast status ${id} --watch`);
  });
});
