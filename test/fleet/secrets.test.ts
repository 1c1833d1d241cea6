import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Machine, machine, type Outcome } from '../support/holdfast-binary.js';
import { connectAgent } from '../support/mcp-agent.js';
import { cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const ASKED = JSON.stringify([
  { title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }] },
]);

/** A password that looks different in every encoding in which it could leak. */
const PASSWORD = 'pl4nt/d s@cret:%9';

describe.skipIf(POSTGRES === undefined)('the password of a fleet', () => {
  verifiesNeeding(
    'F01',
    { postgres: true },
    'is in one file of mode 600 and in nothing that is printed, logged, stored or seen by `ps`, whatever goes wrong',
    async () => {
      await using db = await cluster({ logging_collector: 'on', log_directory: 'log' });
      await using laptop = await machine();
      await using other = await machine();
      expect((await other.run(['fleet', 'init', '-', '--name', 'other'], { input: db.url })).code).toBe(0);
      // Not by `invite`, which generates the password; from here on the server logs every statement.
      await db.sql(`create role carol login password '${PASSWORD}' in role holdfast_person`);
      await db.sql("alter system set log_statement = 'all'");
      await db.sql('select pg_reload_conf()');
      const url = db.urlOf('carol', PASSWORD);
      const printed: Outcome[] = [];
      const run = async (args: readonly string[], options: Parameters<Machine['run']>[1] = {}) => {
        const outcome = await laptop.run(args, { ...options, env: { HOLDFAST_DEBUG: '1', ...options.env } });
        printed.push(outcome);
        return outcome;
      };
      const joined = await run(['fleet', 'join', '-', '--name', 'laptop'], { input: url });
      expect(joined).toMatchObject({ code: 0 });

      // At work: every kind of process that holds the link, as `ps` shows it.
      const seen: string[] = [];
      const look = () => seen.push(...commandLines());
      const service = laptop.start(['worker', '--slots', '0'], { env: { HOLDFAST_DEBUG: '1' } });
      const asker = laptop.start(['ask', ASKED], { env: { HOLDFAST_DEBUG: '1' } });
      const [, id = ''] = await asker.printed('stderr', /answer to (\S+)/);
      const agent = await connectAgent(laptop);
      await until(async () => (await other.json(['questions', 'list'])).data.length === 1);
      look();
      await other.run(['answer', id, 'A']);
      printed.push(await asker.ended);
      for (const args of [
        ['config', 'show'],
        ['config', 'show', '--json'],
        ['fleet', 'status', '--json'],
        ['fleet', 'doctor', '--json'],
        ['doctor'],
        ['questions'],
        ['waiting'],
      ])
        await run(args);
      look();

      // With everything wrong that can be wrong.
      const wrong = (change: (url: string) => string) => ({ env: { HOLDFAST_FLEET_URL: change(url) } });
      for (const options of [
        wrong((text) => text.replace(`:${db.port}/`, ':1/')),
        wrong((text) => text.replace('carol', 'nobody_')),
        wrong((text) => text.replace('/holdfast', '/nowhere')),
        wrong((text) => `${text}?sslmode=verify-full`),
        wrong((text) => `${text}?password=${encodeURIComponent(PASSWORD)}`),
        wrong((text) => text.replace('postgres:', 'mysql:')),
        wrong((text) => `${text}%`),
        wrong((text) => text.replace('/holdfast', '')),
      ])
        for (const args of [['fleet', 'doctor'], ['questions'], ['fleet', 'status', '--json']])
          await run(args, options);
      expect((await run(['config', 'set', 'fleet.url', url])).code).not.toBe(0);
      expect((await run(['fleet', 'join', url])).code).not.toBe(0);
      await db.stop('SIGQUIT');
      await run(['fleet', 'doctor']);
      await run(['questions']);
      await db.start();
      service.child.kill('SIGTERM');
      printed.push(await service.ended);
      await agent[Symbol.asyncDispose]();

      const spellings = [
        PASSWORD,
        encodeURIComponent(PASSWORD),
        Buffer.from(PASSWORD).toString('base64'),
        'pl4nt',
      ];
      const gives = (text: string) => spellings.some((spelling) => text.includes(spelling));
      expect(printed.length).toBeGreaterThan(30);
      expect(printed.filter(({ stdout, stderr }) => gives(stdout + stderr))).toEqual([]);
      expect(gives(agent.stderr())).toBe(false);
      expect(seen.some((line) => line.includes('worker'))).toBe(true);
      // What a test types on purpose is checked separately: `fleet join <url>` was refused for that very reason.
      expect(seen.filter(gives)).toEqual([]);
      const home = laptop.env.HOLDFAST_HOME ?? '';
      const secretFile = join(home, 'config', 'fleet-url');
      expect(holding(laptop.dir.path, gives)).toEqual([secretFile]);
      expect(holding(other.dir.path, gives)).toEqual([]);
      const logs = join(db.directory, 'data', 'log');
      expect(holding(logs, (text) => text.includes('holdfast.send('))).not.toEqual([]);
      expect(holding(logs, gives)).toEqual([]);
    },
  );
});

/** The command lines of all processes, as everybody on the machine can read them. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // it ended while we looked
      }
    });
}

function holding(directory: string, gives: (text: string) => boolean): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => gives(readFileSync(path, 'latin1')));
}
