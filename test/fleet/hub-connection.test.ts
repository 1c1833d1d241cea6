import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createServices, type Services } from '../../src/app/base.js';
import { ownRuns } from '../../src/app/fleet/own-runs.js';
import {
  Door,
  FleetElsewhere,
  Link,
  RemoteQuestions,
  RemoteRuns,
  SentRequests,
} from '../../src/fleet/index.js';
import { QueueWatch } from '../../src/fleet/queue/queue-watch.js';
import { type Logger, silentLogger, systemClock, systemIds } from '../../src/foundation/index.js';
import {
  FleetRuleError,
  type Hub,
  type HubConnection,
  type Listening,
  migrate,
  parseAddress,
} from '../../src/hub/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { databaseProxy } from '../support/database-proxy.js';
import { FakeClock } from '../support/fake-clock.js';
import { workerRules } from '../support/fleet-queues.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { RecordingLog } from '../support/recording-log.js';
import { storageTools } from '../support/storage-tools.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

describe.skipIf(POSTGRES === undefined)('a connection to the hub', () => {
  let db: Cluster;
  let dir: TempDir;

  beforeAll(async () => {
    db = await cluster();
    dir = await tempDir();
    await using door = doorTo();
    await migrate((await door.open({ isAnySchema: true })).connection);
  });

  afterAll(async () => {
    await db?.[Symbol.asyncDispose]();
    await dir?.[Symbol.asyncDispose]();
  });

  function doorTo({ url = db.url, log = silentLogger }: { url?: string; log?: Logger } = {}): Door {
    const address = parseAddress(url);
    const parts = { passwordFile: '/nowhere', fileSystem: nodeFileSystem, clock: systemClock };
    return new Door({ ...parts, address, log });
  }

  function home(name: string): Services {
    return createServices({
      environment: { HOLDFAST_HOME: dir.at(name), HOME: dir.at(`${name}-user`), HOLDFAST_FLEET_URL: db.url },
      workingDirectory: dir.path,
      command: 'test',
    });
  }

  async function joined(hub: Hub, name: string) {
    const machine = { id: systemIds.uuid(), name };
    await hub.join({ ...machine, bootId: 'boot', version: '1' });
    return machine;
  }

  for (const way of ['rows', 'script'] as const)
    verifiesNeeding(
      'F05',
      { postgres: true },
      `is over when a reply to ${way} does not come in time: a later one is nobody's`,
      async () => {
        await using route = await databaseProxy(db.port);
        await using door = doorTo({ url: route.through(db.url) });
        const { connection } = await door.open({ timeoutMs: 500 });
        route.silence('from the database');
        await expect(connection[way]('select 1')).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
        expect(connection.isOpen).toBe(false);
      },
    );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'is listened to once by a link that fails again and again',
    async () => {
      await using door = doorTo();
      const hub = await door.open();
      const { questions, tools } = home('link');
      const clock = new FakeClock();
      const listeners = countListeners(hub.connection);
      let failures = 0;
      const link = new Link({
        door,
        machine: await joined(hub, 'link'),
        bootId: 'boot',
        questions,
        runs: async () => ownRuns(home('link')),
        sent: new SentRequests(tools, dir.at('link', 'fleet')),
        clock,
        log: silentLogger,
        settleLeft: async () => {
          failures += 1;
          throw new FleetRuleError('not-taken', 'The fleet does not accept this', 'none');
        },
      });
      const stop = new AbortController();
      const ended = link.run(stop.signal);
      await untilAsTimePasses(clock, () => failures >= 4);
      expect(listeners.most).toEqual({ calls: 1, ends: 1 });
      stop.abort();
      await ended;
      expect(hub.connection.isOpen).toBe(true);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'is listened to once by a queue that fails again and again',
    async () => {
      await using door = doorTo();
      const hub = await door.open();
      const machine = await joined(hub, 'queue');
      await hub.leave(machine.id);
      const log = new RecordingLog();
      const clock = new FakeClock();
      const listeners = countListeners(hub.connection);
      const tools = storageTools({ clock, log });
      const watch = new QueueWatch({ door, machine, rules: workerRules(), tools, onHint: () => {} });
      await untilAsTimePasses(clock, () => log.named('fleet.queue-not-watched').length >= 4);
      expect(listeners.most).toEqual({ calls: 1, ends: 1 });
      watch.close();
      await watch.ended;
      expect(hub.connection.isOpen).toBe(true);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'is no longer listened to by those who stopped watching',
    async () => {
      await using door = doorTo();
      const hub = await door.open();
      const { tools, clock } = home('watching');
      const sent = new SentRequests(tools, dir.at('watching', 'fleet'));
      const parts = { door, machine: await joined(hub, 'watching'), sent, clock, ids: tools.ids };
      const questions = new RemoteQuestions(parts);
      const runs = new RemoteRuns(parts);
      const elsewhere = new FleetElsewhere({ door, runs, questions, queued: async () => [], clock });
      const listeners = countListeners(hub.connection);
      const watches = [questions.watch(() => {}), elsewhere.watch(() => {})];
      await until(() => listeners.now.calls === 3);
      for (const watch of watches) watch.close();
      await until(() => listeners.now.calls === 0);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'shows of very many sessions those that were active last, in their order, and logs once that there are more',
    async () => {
      const log = new RecordingLog();
      await using door = doorTo({ log });
      const hub = await door.open();
      const { id: machine } = await joined(hub, 'busy');
      await db.sql(
        `insert into holdfast.session (home, kind, id, stamp, state, needs_person, is_ended, created_at, last_activity, summary)
         select $1::uuid, 'question', 'ended-' || n, '', 'completed', false, true, at, at, '{}'::jsonb
           from generate_series(1, 1005) n, lateral (select timestamptz '2026-03-01' + n * interval '1 minute') t(at)
         union all select $1::uuid, 'question', 'open', '', 'pending', true, false, at, at, '{}'::jsonb from (select timestamptz '2026-01-01') t(at)`,
        [machine],
      );
      const numbers = (from: number) => Array.from({ length: 1_006 - from }, (_, n) => `ended-${from + n}`);
      for (const wanted of ['all', { since: '2026-03-01T00:00:00Z' }] as const) {
        const { rows } = await hub.sessions(null, 'question', wanted);
        expect(rows.map(({ id }) => id)).toEqual(['open', ...numbers(7)]);
      }
      const fields = { kind: 'question', shown: 1_000, count: 6 };
      expect(log.named('fleet.sessions-left-out')).toEqual([
        { level: 'info', event: 'fleet.sessions-left-out', fields },
      ]);
      const { rows } = await hub.sessions(null, 'question', 'waiting');
      expect(rows.map(({ id }) => id)).toEqual(['open']);
    },
  );
});

interface Listeners {
  calls: number;
  ends: number;
}

/** Counts those who listen to a connection now, and the most there were at once. */
function countListeners(connection: HubConnection): { readonly now: Listeners; readonly most: Listeners } {
  const now = { calls: 0, ends: 0 };
  const most = { calls: 0, ends: 0 };
  const counted = (what: keyof Listeners, listening: Listening): Listening => {
    now[what] += 1;
    most[what] = Math.max(most[what], now[what]);
    const close = () => {
      now[what] -= 1;
      listening.close();
    };
    return { close, [Symbol.dispose]: close };
  };
  const [listen, onEnd] = [connection.listen.bind(connection), connection.onEnd.bind(connection)];
  connection.listen = async (channel, onCall) => counted('calls', await listen(channel, onCall));
  connection.onEnd = (listener) => counted('ends', onEnd(listener));
  return { now, most };
}

function untilAsTimePasses(clock: FakeClock, isDone: () => boolean): Promise<void> {
  return until(() => {
    clock.advance(10_000);
    return isDone();
  });
}
