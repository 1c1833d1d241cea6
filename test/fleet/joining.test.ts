import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Json, Machine, Running } from '../support/holdfast-binary.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { twoMachines } from '../support/two-machines.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const ASK = ['ask', 'Which database?', '--option', 'Postgres', '--option', 'SQLite', '--no-wait'];
const AWAY = { env: { HOLDFAST_FLEET_URL: 'postgres://ann:hunter2@127.0.0.1:1/holdfast' } };

describe.skipIf(POSTGRES === undefined)('a machine of a fleet', () => {
  const fleet = twoMachines();

  const addressOf = ({ env }: Machine) =>
    readFileSync(join(env.HOLDFAST_HOME ?? '', 'config', 'fleet-url'), 'utf8');

  async function seenOnLaptop(id: string): Promise<void> {
    await until(async () => {
      const { data } = await fleet().laptop.json(['questions', 'list']);
      return data.some(({ sessionId }: Json) => sessionId === id);
    });
  }

  async function stop(worker: Running): Promise<void> {
    worker.child.kill('SIGTERM');
    await worker.ended;
  }

  verifiesNeeding(
    'F01',
    { postgres: true },
    'that leaves and joins while its worker runs is served by that worker as what it is then',
    async () => {
      const { db, laptop, workstation } = fleet();
      const address = addressOf(workstation);
      const offers = () =>
        db.sql(
          "select m.name from holdfast.worker w join holdfast.machine m on m.id = w.machine where m.left_at is null and m.name = 'workstation'",
        );
      const worker = workstation.start(['worker']);
      await until(async () => (await offers()).length === 1);
      const [before] = await db.sql("select id from holdfast.machine where name = 'workstation'");
      expect(await workstation.run(['fleet', 'leave'])).toMatchObject({ code: 0 });
      await worker.printed('stderr', /This machine left its fleet; its own queue is served/);
      expect(
        await workstation.run(['fleet', 'join', '-', '--name', 'workstation'], { input: address }),
      ).toMatchObject({ code: 0 });
      await worker.printed('stderr', /Continuing as workstation in the fleet/);
      await until(async () => (await offers()).length === 1);
      const [after] = await db.sql(
        "select id from holdfast.machine where name = 'workstation' and left_at is null",
      );
      expect(after?.id).not.toBe(before?.id);
      const asked = await workstation.run(ASK);
      expect(asked.stderr).toBe('');
      const id = asked.stdout.trim();
      await seenOnLaptop(id);
      const answered = await laptop.run(['answer', 'SQLite']);
      expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('Arrived on workstation') });
      expect(workstation.readFile(id, 'answers.json').answers).toMatchObject([{ selectedOption: 'SQLite' }]);
      const examined = await workstation.run(['fleet', 'doctor']);
      expect(examined).toMatchObject({ code: 0, stdout: expect.stringContaining('ok    link') });
      await db.sql("update holdfast.machine set seen_at = now() - interval '2 minutes' where id = $1", [
        after?.id,
      ]);
      // A process that holds the link and gives no sign does not pass as healthy.
      expect((await workstation.run(['fleet', 'doctor'])).stdout).toMatch(
        /warn {2}link: .*has given no sign/,
      );
      await stop(worker);
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'that gave a sign is removed after a yes; it is told so, by whom and when, and joins again',
    async () => {
      const { laptop, workstation } = fleet();
      const worker = workstation.start(['worker', '--slots', '0']);
      await worker.printed('stderr', /in step with the fleet/);
      const remove = ['fleet', 'remove-machine', 'workstation'];
      expect(await laptop.run(remove)).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/gave a sign .* ago[\s\S]*--yes/),
      });
      expect(await laptop.run([...remove, '--yes'])).toMatchObject({ code: 0 });
      expect(await laptop.run([...remove, '--yes'])).toMatchObject({ code: 4 });
      const removed = /workstation, was removed from the fleet by ann \(\d\d:\d\d:\d\d\)/;
      const status = await workstation.run(['fleet', 'status']);
      expect(status).toMatchObject({ code: 1, stderr: expect.stringMatching(removed) });
      expect(status.stderr).toContain('holdfast fleet join');
      const examined = await workstation.run(['fleet', 'doctor']);
      expect(examined.code).toBe(1);
      expect(examined.stdout).toMatch(new RegExp(`BAD {3}machine: .*${removed.source}`));
      // Having something to share wakes its link.
      await workstation.run(ASK);
      await worker.printed('stderr', new RegExp(`Not in the fleet: .*${removed.source}`));
      expect(await workstation.run(['fleet', 'join'])).toMatchObject({ code: 0 });
      await worker.printed('stderr', /in step[\s\S]*Not in the fleet[\s\S]*in step/);
      const [id = ''] = workstation.ids().filter((one) => {
        const { status: state } = workstation.readFile(one, 'status.json');
        return state === 'pending';
      });
      await seenOnLaptop(id);
      await laptop.run(['answer', id, 'Postgres']);
      await stop(worker);
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'cut off from its database says that nothing was stored, with the address once and no password',
    async () => {
      const { laptop } = fleet();
      const refused = await laptop.run(['answer', '3f2a81c0', 'SQLite'], AWAY);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Not stored: .*127\.0\.0\.1:1: /),
      });
      const examined = await laptop.run(['fleet', 'doctor'], AWAY);
      expect(examined.stdout).toContain('pg_isready');
      expect(examined.stdout).not.toContain('fleet doctor');
      const listed = await laptop.run(['inbox'], AWAY);
      for (const said of [refused.stderr, examined.stdout.split('\n')[0] ?? '', listed.stderr])
        expect(said.match(/127\.0\.0\.1/g)).toHaveLength(1);
      expect(refused.stderr + examined.stdout + listed.stderr).not.toContain('hunter2');
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'without a link says when others see what it asked; a word that is no option names what waits',
    async () => {
      const { laptop, workstation } = fleet();
      const asked = await workstation.run(ASK);
      expect(asked.stderr).toContain('other machines see the question when the next command runs here');
      await workstation.run(['questions']);
      const id = asked.stdout.trim();
      expect(await laptop.run(['answer', 'Oracle'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(id.slice(0, 8)),
      });
      await fleet().quiet();
      expect((await laptop.run(['answer', 'SQLite'])).stdout).toContain('On its way to workstation');
      await workstation.run(['questions']);
      expect(workstation.readFile(id, 'answers.json').answers).toMatchObject([{ selectedOption: 'SQLite' }]);
    },
  );

  verifiesNeeding('F01', { postgres: true }, 'names the real fault, and all of it at once', async () => {
    const { laptop } = fleet();
    expect(await laptop.run(['fleet', 'invite', 'Bob Smith'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"Bob Smith" cannot be a login[\s\S]*holdfast fleet invite bob_smith/),
    });
    writeFileSync(join(laptop.project, 'plan.md'), '# PRP\n\n### Success Criteria\n\n- [ ] it works\n');
    const outside = await laptop.run(['queue', 'add', 'plan.md']);
    expect(outside.code).toBe(2);
    for (const wanted of ['git init', 'git remote add', '--local --in-place'])
      expect(outside.stderr).toContain(wanted);
  });
});
