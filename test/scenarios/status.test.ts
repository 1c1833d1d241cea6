import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LoopSessions } from '../../src/sessions/loop/index.js';
import { type Machine, machine } from '../support/holdfast-binary.js';
import { measured, outcome, PLAN } from '../support/loop-world.js';
import { storageTools } from '../support/storage-tools.js';
import { verifies } from '../support/verifies.js';

const FIXTURES = fileURLToPath(new URL('../fixtures/prp-session', import.meta.url));

async function machineWith(fixture: string): Promise<Machine> {
  const world = await machine();
  cpSync(join(FIXTURES, fixture), join(world.project, '.prp-session'), { recursive: true });
  return world;
}

function loopsOf(world: Machine): LoopSessions {
  return new LoopSessions({ ...storageTools(), directory: join(world.project, '.prp-session') });
}

describe('holdfast status', () => {
  it('without a loop says so, with exit code 4, and makes nothing', async () => {
    await using world = await machine();
    expect(await world.run(['status'])).toMatchObject({
      code: 4,
      stdout: 'No loop in this project.\n',
      stderr:
        '`holdfast run <plan>` starts a run here; `holdfast top --once` lists the runs of other projects.\n',
    });
    expect(await world.json(['status'])).toEqual({
      code: 4,
      data: { found: false, status: 'idle', message: 'No loop in this project.' },
    });
  });

  verifies(
    'L02',
    'shows a session that somebody else wrote: phases, iteration, tests, breaker, gates, limits',
    async () => {
      await using world = await machineWith('paused');
      const { code, stdout } = await world.run(['status']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^a1b2c3d4 {2}paused \(User interrupt\)$/m);
      expect(stdout).toMatch(/^phases +\[x\] RED {2}\[>\] GREEN 54 % {2}\[ \] REFACTOR {2}\[ \] DOCUMENT$/m);
      expect(stdout).toMatch(/^iteration +5 of GREEN done/m);
      expect(stdout).toMatch(/^tests +6 of 10 pass, 4 fail$/m);
      expect(stdout).toMatch(/^breaker +CLOSED/m);
      expect(stdout).toMatch(/^gates +not met: /m);
      expect(stdout).toMatch(/^calls +\d+ of 100 this hour$/m);
      expect(stdout).toMatch(/^last error +TypeError: Cannot read property/m);
      expect(stdout).toMatch(/^owner +none$/m);
    },
  );

  verifies('L08', 'tells as JSON what can be done with it', async () => {
    await using world = await machineWith('breaker-open');
    const { code, data } = await world.json(['status']);
    expect([code, data.loop.status, data.loop.breaker.state]).toEqual([0, 'halted', 'OPEN']);
    expect(data.resume).toMatchObject({
      action: 'offer_reset',
      expiryAction: 'reset_or_abort',
      reason: 'Circuit Breaker OPEN: No progress for 2 iterations',
      choices: ['reset', 'skip', 'new', 'abort'],
    });
  });

  verifies('L09', 'shows damage and still ends with 0', async () => {
    await using world = await machineWith('damaged-json');
    const { code, stdout } = await world.run(['status']);
    expect(code).toBe(0);
    expect(stdout).toContain('loop: cannot be read');
    expect(stdout).toMatch(/^damaged +loop-state.json: it is not JSON$/m);
  });

  it('is found from a directory below in a git repository, and at its top before there is one', async () => {
    await using world = await machineWith('valid');
    const below = join(world.project, 'src', 'deep');
    mkdirSync(below, { recursive: true });
    mkdirSync(join(world.project, '.git/objects'), { recursive: true });
    expect((await world.json(['status'], { cwd: below })).data.loop.sessionId).toMatch(/^a1b2c3d4/);
    await using fresh = await machine();
    const inside = join(fresh.project, 'src');
    mkdirSync(inside);
    // An empty one would be none, as for git itself.
    mkdirSync(join(fresh.project, '.git/objects'), { recursive: true });
    expect((await fresh.json(['paths'], { cwd: inside })).data.loop).toBe(
      join(fresh.project, '.prp-session'),
    );
  });

  it('names the process that runs it, and finds a killed one suspended', async () => {
    await using world = await machine();
    const loop = await loopsOf(world).create(PLAN);
    expect((await world.json(['status'])).data.loop).toMatchObject({
      status: 'running',
      owner: {
        pid: process.pid,
        host: expect.any(String),
        command: expect.any(String),
        since: expect.stringMatching(/^\d{4}-/),
        isAlive: true,
        reason: `process ${process.pid} is running`,
      },
    });
    loop[Symbol.dispose]();
    expect((await world.json(['status'])).data.loop).toMatchObject({ status: 'suspended', owner: null });
  });

  it('unlock --force takes it away from the process that runs it, which cannot write any more', async () => {
    await using world = await machine();
    using loop = await loopsOf(world).create(PLAN);
    const id = loop.state.sessionId.slice(0, 8);
    expect(await world.run(['unlock', id])).toMatchObject({ code: 3 });
    expect(await world.run(['unlock', id, '--force'])).toMatchObject({ code: 0 });
    expect(() => loop.pause('x')).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    expect((await world.json(['status'])).data.loop).toMatchObject({
      status: 'suspended',
      statusReason: 'no process is running it',
    });
  });

  verifies('L12', 'a limit is shown with its countdown', async () => {
    await using world = await machine();
    using loop = await loopsOf(world).create(PLAN);
    const resetsAt = new Date(Date.now() + 2 * 3_600_000);
    loop.commitIteration(outcome({ run: 'limited', measured: null, limit: { kind: 'quota', resetsAt } }));
    expect((await world.json(['status'])).data.loop.calls.wait).toMatchObject({
      until: resetsAt.toISOString(),
      in: expect.stringMatching(/^1h 59m$|^2h 0m$/),
      cause: 'quota',
      reason: "the agent's limit is used up",
    });
  });

  it('--watch prints each change and ends with Ctrl+C', async () => {
    await using world = await machine();
    using loop = await loopsOf(world).create(PLAN);
    const watching = world.start(['status', '--watch', '--json']);
    await watching.printed('stdout', /"iteration":0/);
    loop.commitIteration(outcome({ measured: measured(3) }));
    await watching.printed('stdout', /"iteration":1/);
    loop.pause('lunch');
    await watching.printed('stdout', /"statusReason":"lunch"/);
    watching.child.kill('SIGINT');
    expect(await watching.ended).toMatchObject({ code: 130 });
    for (const line of watching.stdout.trim().split('\n')) expect(JSON.parse(line).found).toBe(true);
  });

  it('text of an agent cannot move the cursor', async () => {
    await using world = await machineWith('valid');
    const file = join(world.project, '.prp-session', 'loop-state.json');
    const state = { ...JSON.parse(JSON.stringify(loopsOf(world).get()?.state)) };
    writeFileSync(
      file,
      JSON.stringify({
        session_id: state.sessionId,
        prp_file: 'a\u001b[2Jb\nplan        forged',
        started_at: state.startedAt,
        current_phase: 'GREEN',
        status: 'halted',
        halt_reason: '\u001b]0;x\u0007\nowner       nobody',
      }),
    );
    const { stdout } = await world.run(['status']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.match(/^plan /gm)).toHaveLength(1);
    expect(stdout.match(/^owner /gm)).toHaveLength(1);
  });

  it('limits and phases come from the configuration', async () => {
    await using world = await machine();
    world.configure({
      loop: {
        callsPerHour: 7,
        phases: [{ name: 'GREEN', noProgress: 9 }],
        dir: join(world.project, 'elsewhere'),
      },
    });
    expect((await world.json(['paths'])).data.loop).toBe(join(world.project, 'elsewhere'));
    expect((await world.run(['config', 'show'])).stdout).toContain('[{"name":"GREEN","noProgress":9}]');
    world.configure({ loop: { phases: [{ name: 'green' }] } });
    expect(await world.run(['status'])).toMatchObject({ code: 2 });
  });
});
