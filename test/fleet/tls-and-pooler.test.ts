import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createServices } from '../../src/app/base.js';
import { holdFleetLink, openFleet, openFleetQuestions } from '../../src/app/fleet/open-fleet.js';
import { Door, type LinkState } from '../../src/fleet/index.js';
import { silentLogger, systemClock } from '../../src/foundation/index.js';
import { parseAddress } from '../../src/hub/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { type Cluster, cluster, freePort, OWNER_PASSWORD, unprivileged } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const QUESTIONS = [{ title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }];

describe.skipIf(POSTGRES === undefined)('between a machine and its database', () => {
  let db: Cluster;
  let dir: TempDir;
  let certificate: string;

  beforeAll(async () => {
    dir = await tempDir();
    const place = dir.at('tls');
    mkdirSync(place);
    certificate = join(place, 'cert.pem');
    const key = join(place, 'key.pem');
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=db.lan'];
    const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate];
    execFileSync('openssl', [...words, ...names], { stdio: 'ignore' });
    const { uid, gid } = unprivileged();
    chmodSync(dir.path, 0o755);
    chmodSync(place, 0o755);
    chmodSync(key, 0o600);
    if (uid !== undefined) chownSync(key, uid, gid ?? uid);
    db = await cluster({ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key });
  });

  afterAll(async () => {
    await db?.[Symbol.asyncDispose]();
    await dir?.[Symbol.asyncDispose]();
  });

  function doorTo(url: string): Door {
    const address = parseAddress(url);
    return new Door({
      address,
      passwordFile: dir.at('none'),
      fileSystem: nodeFileSystem,
      clock: systemClock,
      log: silentLogger,
    });
  }

  async function opens(host: string, query: string): Promise<string> {
    const url = db.url.replace('127.0.0.1', host);
    await using door = doorTo(`${url}?${query}`);
    return door.open({ isAnySchema: true }).then(
      () => 'open',
      (error: { code?: string }) => String(error.code),
    );
  }

  verifiesNeeding(
    'F01',
    { postgres: true },
    'a certificate of another name, or of nobody trusted, is refused',
    async () => {
      const trusted = `sslrootcert=${encodeURIComponent(certificate)}`;
      expect(await opens('localhost', `sslmode=verify-full&${trusted}`)).toBe('open');
      // The certificate says localhost; an IP address is another name, whatever the driver would check.
      expect(await opens('127.0.0.1', `sslmode=verify-full&${trusted}`)).toBe('FLEET_REFUSED');
      expect(await opens('127.0.0.1', `sslmode=verify-ca&${trusted}`)).toBe('open');
      expect(await opens('localhost', 'sslmode=verify-full')).toBe('FLEET_REFUSED');
      expect(await opens('localhost', 'sslmode=require')).toBe('open');
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true, pgbouncer: true },
    'behind a pooler that loses calls all still arrives, and it is said',
    async () => {
      const port = await freePort();
      const place = dir.at('pooler');
      mkdirSync(place);
      chmodSync(place, 0o755);
      const users = join(place, 'users.txt');
      const settings = join(place, 'pgbouncer.ini');
      writeFileSync(users, `"owner" "${OWNER_PASSWORD}"\n`);
      writeFileSync(
        settings,
        `[databases]\n* = host=127.0.0.1 port=${db.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
          `auth_type = trust\nauth_file = ${users}\npool_mode = transaction\nunix_socket_dir =\n`,
      );
      const pooler = spawn('pgbouncer', ['-q', settings], { ...unprivileged(), stdio: 'ignore' });
      const ended = new Promise((resolve) => pooler.once('exit', resolve));
      const url = db.url.replace(`:${db.port}/`, `:${port}/`);
      const home = (name: string) =>
        createServices({
          environment: { HOLDFAST_HOME: dir.at(name), HOME: dir.path, HOLDFAST_FLEET_URL: url },
          workingDirectory: dir.path,
          command: 'test',
        });
      const [asker, person] = [home('asker'), home('person')];
      try {
        await until(async () => (await opens('127.0.0.1', 'sslmode=disable')) === 'open');
        await until(() =>
          openFleet(asker)
            .init(parseAddress(url), 'asker')
            .then(
              () => true,
              () => false,
            ),
        );
        await openFleet(person).join(parseAddress(url), 'person');
        const findings = await openFleet(asker).doctor();
        expect(findings.find(({ what }) => what === 'calls')).toMatchObject({ is: 'warn' });
        const states: LinkState[] = [];
        await using _link = holdFleetLink(asker, (state) => states.push(state));
        await until(() => states.length > 0);
        expect(states).toEqual([{ is: 'up', hears: false }]);
        const set = await asker.questions.create(QUESTIONS);
        await using open = await openFleetQuestions(person);
        await until(async () => (await open?.questions.listLive())?.length === 1);
        await open?.questions.answer(set.id, [{ questionIndex: 0, selectedOption: 'B' }]);
        await until(async () => (await asker.questions.get(set.id)).outcome.status === 'completed');
      } finally {
        pooler.kill('SIGKILL');
        await ended;
      }
    },
  );
});
