import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Machine, machine } from '../support/holdfast-binary.js';
import { type Cluster, cluster, OWNER_PASSWORD } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const ASKED = JSON.stringify([
  { title: 'Store', prompt: 'Which database?', options: [{ label: 'Postgres' }, { label: 'SQLite' }] },
]);

const JOINED = { code: 0, stderr: '' };

describe.skipIf(POSTGRES === undefined)('two machines with one database', () => {
  let db: Cluster;
  let ann: Machine;
  let bob: Machine;
  let annLogin: string;
  let bobLogin: string;

  beforeAll(async () => {
    db = await cluster();
    [ann, bob] = await Promise.all([machine(), machine()]);
    const made = await ann.run(['fleet', 'init', '-', '--name', 'laptop'], { input: db.url });
    expect(made.stderr).toBe('');
    expect(made.code).toBe(0);
    annLogin = await invite('ann', 'person');
    bobLogin = await invite('bob', 'person');
    // The owner creates the schema; in everyday use, the owner is a person like the others.
    await ann.run(['fleet', 'leave']);
    expect(await ann.run(['fleet', 'join', '-', '--name', 'laptop'], { input: annLogin })).toMatchObject(
      JOINED,
    );
    expect(await bob.run(['fleet', 'join', '-', '--name', 'workstation'], { input: bobLogin })).toMatchObject(
      JOINED,
    );
  });

  afterAll(async () => {
    await ann?.[Symbol.asyncDispose]();
    await bob?.[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
  });

  async function invite(name: string, role: string): Promise<string> {
    const { data } = await ann.json(['fleet', 'invite', name, '--role', role]);
    return data.url.replace('@', `:${data.password}@`);
  }

  verifiesNeeding(
    'F02',
    { postgres: true },
    'an agent on one machine asks, a person on the other answers, and the agent has it',
    async () => {
      const asking = ann.start(['ask', ASKED, '--json']);
      const [, id = ''] = await asking.printed('stderr', /Waiting for an answer to (\S+)/);
      await until(async () => (await bob.json(['questions', 'list'])).data.length === 1);
      const listed = await bob.json(['questions', 'list']);
      expect(listed.data).toMatchObject([{ sessionId: id, machine: 'laptop', status: 'pending' }]);
      const shown = await bob.run(['questions']);
      expect(shown.stdout).toContain('laptop');
      expect((await bob.run(['waiting', '--count'])).stdout.trim()).toBe('1');
      const answered = await bob.run(['answer', id.slice(0, 8), 'SQLite']);
      expect(answered.stderr).toBe('');
      expect(answered.stdout).toContain('Arrived on laptop');
      const { stdout, code } = await asking.ended;
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        status: 'completed',
        answers: [{ selectedOption: 'SQLite' }],
        actor: 'fleet:workstation/bob',
      });
      // The request is in the same write as the answer.
      expect(ann.readFile(id, 'answers.json').appliedRequest).toMatch(/^[0-9a-f-]{36}$/);
      const second = await bob.run(['answer', id.slice(0, 8), 'Postgres']);
      expect(second.code).toBe(1);
      expect(second.stderr).toContain('was answered already');
      expect((await bob.run(['waiting', '--count'])).stdout.trim()).toBe('0');
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'an answer waits for a machine that is off, can be taken back, and arrives when it is on again',
    async () => {
      const asked = await ann.run(['ask', ASKED, '--no-wait']);
      const id = asked.stdout.trim();
      // The next command here passes it on: no other process of ours runs on this machine.
      await ann.run(['questions']);
      await db.sql("update holdfast.machine set seen_at = now() - interval '1 hour' where name = 'laptop'");
      const first = await bob.run(['answer', id, 'Postgres']);
      expect(first.stdout).toContain('On its way to laptop');
      expect((await bob.json(['questions', 'list'])).data).toMatchObject([
        { sessionId: id, onItsWay: { by: 'bob' } },
      ]);
      expect((await bob.run(['waiting', '--count'])).stdout.trim()).toBe('0');
      expect((await bob.run(['answer', id, 'SQLite'])).stderr).toContain('is on its way: Postgres');
      const back = await bob.run(['fleet', 'take-back', id.slice(0, 8)]);
      expect(back.stdout).toContain('Taken back');
      await bob.run(['answer', id, 'SQLite']);
      const service = ann.start(['worker', '--slots', '0']);
      await until(() => readdirSync(join(ann.questions, id)).includes('answers.json'));
      expect(ann.readFile(id, 'answers.json').answers).toMatchObject([{ selectedOption: 'SQLite' }]);
      await until(async () => /arrived/.test((await bob.run(['fleet', 'status'])).stdout));
      expect((await bob.run(['fleet', 'take-back', id.slice(0, 8)])).code).not.toBe(0);
      service.child.kill('SIGTERM');
      await service.ended;
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'the person at the machine itself is faster: the other is told what stands',
    async () => {
      const id = (await ann.run(['ask', ASKED, '--no-wait'])).stdout.trim();
      await ann.run(['questions']);
      await db.sql("update holdfast.machine set seen_at = now() - interval '1 hour' where name = 'laptop'");
      expect((await bob.run(['answer', id, 'SQLite'])).stdout).toContain('On its way');
      // With the network gone the local answer still counts.
      const away = { env: { HOLDFAST_FLEET_URL: 'postgres://ann@127.0.0.1:1/holdfast' } };
      const local = await ann.run(['answer', id, 'Postgres'], away);
      expect(local.code).toBe(0);
      await ann.run(['questions']);
      const told = await bob.run(['fleet', 'status']);
      expect(told.stdout).toMatch(/refused: \S+ on laptop: .*Postgres/);
      expect(ann.readFile(id, 'answers.json').answers).toMatchObject([{ selectedOption: 'Postgres' }]);
    },
  );

  verifiesNeeding(
    'F02',
    { postgres: true },
    'without its database a machine works on, and says what is left out',
    async () => {
      const away = { env: { HOLDFAST_FLEET_URL: 'postgres://bob@127.0.0.1:1/holdfast' } };
      const id = (await bob.run(['ask', ASKED, '--no-wait'], away)).stdout.trim();
      const listed = await bob.run(['questions'], away);
      expect(listed.stdout).toContain(id.slice(0, 8));
      expect(listed.stderr).toContain('Other machines are left out');
      expect((await bob.run(['answer', id, 'SQLite'], away)).code).toBe(0);
    },
  );

  verifiesNeeding(
    'F01',
    { postgres: true },
    'no password is in any file but the one of mode 600, nor in what is printed',
    async () => {
      const secret = decodeURIComponent(new URL(bobLogin).password);
      const outputs = [
        await bob.run(['config', 'show']),
        await bob.run(['fleet', 'status', '--json']),
        await bob.run(['fleet', 'doctor', '--json']),
        await bob.run(['fleet', 'doctor'], {
          env: { HOLDFAST_FLEET_URL: bobLogin.replace(/:\d+\//, ':1/') },
        }),
        await bob.run(['fleet', 'join', bobLogin]),
      ];
      for (const { stdout, stderr } of outputs) expect(`${stdout}${stderr}`).not.toContain(secret);
      expect(outputs[4]?.code).toBe(2);
      const home = bob.env.HOLDFAST_HOME ?? '';
      const holding = readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => readFileSync(path, 'utf8').includes(secret));
      expect(holding).toEqual([join(home, 'config', 'fleet-url')]);
      expect(OWNER_PASSWORD).not.toBe(secret);
    },
  );
});
