import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noticeServer } from '../../test/support/notice-server.js';
import { noticeWorld } from '../../test/support/notice-world.js';
import { uuidFrom } from '../foundation/index.js';
import type { NoticeEvent } from './events.js';
import { NoticeStore } from './store.js';

const DAY_MS = 24 * 60 * 60_000;

async function storeWorld() {
  const world = await noticeWorld({ channels: {} });
  const directory = join(world.directory, 'own', 'state', 'notices');
  const store = () => new NoticeStore(world.services.tools, directory);
  const event = (key: string, question: string | null = null): NoticeEvent => ({
    key,
    kind: question === null ? 'run-ended' : 'question',
    at: world.clock.now().toISOString(),
    question,
    directory: '/work/shop',
    agent: 'claude',
    shortId: 'abcd',
    detail: null,
    text: 'words',
  });
  return { world, directory, store, event, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

describe('the notices on disk', () => {
  it('have one file for each event on a channel, readable only by this user', async () => {
    await using made = await storeWorld();
    const { store, event, directory } = made;
    expect([1, 2, 3].map(() => store().queue(event('one'), 'desk', { type: 'desktop' }))).toEqual([
      true,
      false,
      false,
    ]);
    expect(store().queue(event('one'), 'phone', { type: 'desktop' })).toBe(true);
    expect(readdirSync(directory)).toHaveLength(2);
    const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);
    expect([statSync(directory).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600]);
    expect(store().list().notices[0]).toMatchObject({ state: 'queued', project: 'shop', text: null });
  });

  it('that cannot be read stay unchanged, and are not sent again', async () => {
    await using server = await noticeServer();
    await using world = await noticeWorld({
      env: { S: 's' },
      channels: { hook: { type: 'webhook', url: server.url, secret: 'env:S' } },
    });
    const id = await world.ask();
    const directory = join(world.directory, 'own', 'state', 'notices');
    {
      await using _telling = world.open();
      await server.until(1);
    }
    const path = join(directory, `${uuidFrom('notice', `question:${id}`, 'hook')}.json`);
    writeFileSync(path, '{"half');
    {
      await using _telling = world.open();
      await world.clock.untilAsleep();
    }
    expect([server.received.length, readFileSync(path, 'utf8'), world.list()]).toEqual([1, '{"half', []]);
  });

  it('keep keys that this version does not know', async () => {
    await using made = await storeWorld();
    const { store, event, directory } = made;
    store().queue(event('one'), 'desk', { type: 'desktop' });
    const path = join(directory, readdirSync(directory)[0] ?? '');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), later: 1 }));
    const opened = store();
    using duty = opened.takeDuty('desk');
    const [notice] = opened.list().notices;
    if (duty === undefined || notice === undefined) throw new Error('unreachable');
    expect(store().takeDuty('desk')).toBeUndefined();
    opened.write(duty, { ...notice, state: 'failed' });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ state: 'failed', later: 1 });
  });

  it('are removed when over and old, but never while their question is waiting, because they would be sent again', async () => {
    await using made = await storeWorld();
    const { store, event, world } = made;
    const [waiting, settled] = [uuidFrom('waiting'), uuidFrom('settled')];
    const opened = store();
    for (const one of [event('run'), event('w', waiting), event('s', settled)])
      opened.queue(one, 'desk', { type: 'desktop' });
    opened.queue(event('never sent'), 'desk', { type: 'desktop' });
    opened.noteSeen(waiting);
    opened.noteSeen(settled);
    using duty = opened.takeDuty('desk');
    if (duty === undefined) throw new Error('unreachable');
    for (const notice of opened.list().notices)
      if (notice.event !== 'never sent') opened.write(duty, { ...notice, state: 'sent' });
    const isPending = (question: string) => question === waiting;
    expect(store().tidy(isPending)).toBe(0);
    world.clock.advance(31 * DAY_MS);
    expect(store().tidy(isPending)).toBe(2);
    expect(
      store()
        .list()
        .notices.map(({ event: key }) => key)
        .sort(),
    ).toEqual(['never sent', 'w']);
    expect([store().seenAt(waiting) === null, store().seenAt(settled)]).toEqual([false, null]);
  });
});
