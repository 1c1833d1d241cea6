import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AppWorld, appWorld } from '../../../test/support/app-world.js';
import { processFacts, until } from '../../../test/support/processes.js';
import { runServices } from '../../app/run/run-services.js';
import { findRun } from './find-run.js';
import { startDetachedRun } from './run-detached.js';

/** A run whose program is a shell script instead of ours. */
function prepared(world: AppWorld, script: string) {
  mkdirSync(join(world.project, 'docs'));
  writeFileSync(join(world.project, 'docs', 'plan.md'), '# PRP\n\n### Success Criteria\n\n- [ ] one\n');
  const services = runServices(world.services({ self: { command: 'sh', args: ['-c', script] } }));
  const run = findRun(services, {
    plan: { prp: 'docs/plan.md' },
    agent: 'scripted',
    permissions: 'edits',
    verify: ['true'],
    budget: {},
    context: 'redline',
    isUnattended: true,
  });
  return { services, run };
}

const never = new AbortController().signal;

describe('a run that is started in the background', () => {
  it('is reported as over, with its last words, if it never owned a session', async () => {
    await using world = await appWorld();
    const { services, run } = prepared(world, 'echo "holdfast: no space left" >&2; exit 6');
    expect(await startDetachedRun(services, run, { args: ['run'], isNew: true, signal: never })).toEqual({
      pid: expect.any(Number),
      session: null,
      exit: { code: 6, stderr: 'holdfast: no space left\n' },
    });
  });

  it('is ended when the person does not wait until it has begun', async () => {
    await using world = await appWorld();
    const { services, run } = prepared(world, 'echo $$ > begun; exec sleep 1000');
    const leaving = new AbortController();
    const starting = startDetachedRun(services, run, { args: [], isNew: true, signal: leaving.signal });
    const begun = join(world.project, 'begun');
    await until(() => existsSync(begun) && readFileSync(begun, 'utf8').endsWith('\n'));
    leaving.abort();
    await expect(starting).rejects.toMatchObject({ code: 'ABORTED' });
    expect(processFacts(Number(readFileSync(begun, 'utf8')))).toBeUndefined();
  });

  it('fails with a typed error if the program is missing', async () => {
    await using world = await appWorld();
    const { services, run } = prepared(world, '');
    const nobody = { ...services, self: { command: join(world.project, 'none'), args: [] } };
    await expect(
      startDetachedRun(nobody, run, { args: [], isNew: true, signal: never }),
    ).rejects.toMatchObject({
      code: 'PROGRAM_NOT_STARTED',
    });
  });
});
