import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Json, Machine, Running } from '../support/holdfast-binary.js';
import { type NoticeServer, noticeServer } from '../support/notice-server.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { twoMachines } from '../support/two-machines.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

const ASK = ['ask', 'Deploy now?', '--option', 'Yes', '--option', 'No', '--no-wait'];
const env = { TOPIC: 'a-topic-of-the-test' };

describe.skipIf(POSTGRES === undefined)('what waits on one machine', () => {
  const fleet = twoMachines();
  let toLaptop: NoticeServer;
  let toWorkstation: NoticeServer;
  let running: Running[];

  beforeEach(async () => {
    running = [];
    [toLaptop, toWorkstation] = await Promise.all([noticeServer(), noticeServer()]);
    const { laptop, workstation } = fleet();
    await channel(laptop, toLaptop);
    await channel(workstation, toWorkstation);
  });
  afterEach(async () => {
    await Promise.all(running.map(stop));
    await toLaptop[Symbol.asyncDispose]();
    await toWorkstation[Symbol.asyncDispose]();
  });

  async function channel(on: Machine, server: NoticeServer): Promise<void> {
    const settings = { type: 'ntfy', url: server.url, topic: 'env:TOPIC' };
    await set(on, 'notices.channels.phone', JSON.stringify(settings));
    await set(on, 'notices.digestSeconds', '0');
  }

  async function set(on: Machine, key: string, value: string): Promise<void> {
    expect(await on.run(['config', 'set', key, value])).toMatchObject({ code: 0 });
  }

  /** Holds the link and sends notices. */
  async function worker(on: Machine): Promise<Running> {
    const started = on.start(['worker', '--slots', '0'], { env });
    running.push(started);
    await started.printed('stderr', /in step with the fleet|cut off/);
    return started;
  }

  async function stop(one: Running): Promise<void> {
    one.child.kill('SIGTERM');
    await one.ended;
  }

  const isPost = ({ method }: Json) => method === 'POST';
  const posts = (server: NoticeServer) => server.received.filter(isPost);
  const notices = async (on: Machine): Promise<Json[]> =>
    (await on.asideJson(['notify', 'list'])).data.notices;
  const noticeOf = async (on: Machine, id: string) =>
    (await notices(on)).find(({ question }) => question === id);
  const ask = async () => (await fleet().workstation.run(ASK, { env })).stdout.trim();

  verifiesNeeding('N01', { postgres: true }, 'is told by that machine, and by no other', async () => {
    const { laptop, workstation } = fleet();
    const [here] = [await worker(laptop), await worker(workstation)];
    const id = await ask();
    await toWorkstation.until(1);
    await until(async () =>
      (await laptop.json(['questions', 'list'])).data.some(({ sessionId }: Json) => sessionId === id),
    );
    // A process that leaves sends what there is.
    await stop(here);
    expect(toLaptop.received).toEqual([]);
    expect(await noticeOf(laptop, id)).toBeUndefined();
    await workstation.run(['answer', id, 'Yes'], { env });
  });

  verifiesNeeding(
    'N01',
    { postgres: true },
    'is told on another that wants it, once whoever looks there, and taken back when it was answered anywhere',
    async () => {
      const { laptop, workstation } = fleet();
      await set(laptop, 'notices.fleet', 'true');
      await worker(workstation);
      await worker(laptop);
      const page = laptop.start(['web', '--json'], { env });
      running.push(page);
      await page.printed('stdout', /origins/);
      const id = await ask();
      const [told] = await toLaptop.until(1, isPost);
      expect(told?.body.title).toBe('projéct 1 on workstation: holdfast ask asks');
      await until(async () => (await noticeOf(laptop, id))?.state === 'sent');
      await workstation.run(['answer', id, 'Yes'], { env });
      await toLaptop.until(1, ({ method }) => method === 'DELETE');
      await until(async () => (await noticeOf(laptop, id))?.state === 'answered');
      expect(await noticeOf(laptop, id)).toMatchObject({ isTakenBack: true, tries: 1 });
      expect(posts(toLaptop)).toHaveLength(1);
      expect(posts(toWorkstation)).toHaveLength(1);
    },
  );

  verifiesNeeding(
    'F05',
    { postgres: true },
    'is neither taken back nor told again when the database is away and comes back',
    async () => {
      const { db, laptop, workstation } = fleet();
      await set(laptop, 'notices.fleet', 'true');
      await worker(workstation);
      const first = await worker(laptop);
      const id = await ask();
      await toLaptop.until(1, isPost);
      await until(async () => (await noticeOf(laptop, id))?.state === 'sent');
      await db.stop();
      await first.printed('stderr', /cut off from the fleet/);
      await stop(first);
      // Another worker, which has never seen the question, leaves it untouched.
      await stop(await worker(laptop));
      expect(await noticeOf(laptop, id)).toMatchObject({ state: 'sent', tries: 1 });
      await db.start();
      await worker(laptop);
      const next = await ask();
      await until(async () => (await noticeOf(laptop, next))?.state === 'sent');
      expect(posts(toLaptop)).toHaveLength(2);
      expect(await noticeOf(laptop, id)).toMatchObject({ state: 'sent', tries: 1 });
      expect(toLaptop.received.filter(({ method }) => method === 'DELETE')).toEqual([]);
      await workstation.run(['answer', id, 'Yes'], { env });
      await until(async () => (await noticeOf(laptop, id))?.state === 'answered');
      expect(await noticeOf(laptop, id)).toMatchObject({ isTakenBack: true });
    },
  );
});
