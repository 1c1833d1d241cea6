import { describe, expect, it, vi } from 'vitest';
import { PATIENT } from '../../test/support/deadlines.js';
import { noticeServer } from '../../test/support/notice-server.js';
import { type NoticeWorld, noticeWorld } from '../../test/support/notice-world.js';
import { verifies } from '../../test/support/verifies.js';

const HOOK = (url: string, more: object = {}) => ({
  type: 'webhook',
  url,
  secret: 'env:HOOK_SECRET',
  ...more,
});
const env = {
  HOOK_SECRET: 'secret',
  TOPIC: 'a topic',
  TOKEN: 'a-token',
  CLIENT: 'c-token',
  TERM: 'xterm-kitty',
};

function until(check: () => void): Promise<void> {
  return vi.waitFor(check, PATIENT);
}

const statesOf = (world: NoticeWorld) =>
  world
    .list()
    .map(({ channel, state }) => `${channel} ${state}`)
    .sort();

describe('a question while nobody is looking', () => {
  verifies(
    'N03',
    'bell, title, desktop and ntfy, then the next channel; answered, all are taken back',
    async () => {
      await using ntfy = await noticeServer();
      await using gotify = await noticeServer(() => ({ status: 200, body: { id: 41 } }));
      await using world = await noticeWorld({
        env,
        programs: { 'notify-send': 'echo 7', gdbus: '' },
        channels: {
          screen: { type: 'terminal' },
          desk: { type: 'desktop' },
          phone: { type: 'ntfy', url: ntfy.url, topic: 'env:TOPIC', token: 'env:TOKEN' },
          later: {
            type: 'gotify',
            url: gotify.url,
            token: 'env:TOKEN',
            clientToken: 'env:CLIENT',
            afterMinutes: 10,
          },
        },
      });
      await using _telling = world.open({ hasScreen: true });
      await world.clock.untilAsleep();
      const id = await world.ask();
      await until(() =>
        expect(statesOf(world)).toEqual(['desk sent', 'later queued', 'phone sent', 'screen sent']),
      );
      expect(world.screen.text).toMatch(
        /^\x07\x1b\[22;2t\x1b\]2;\(1\) holdfast\x07\x1b\]99;i=[0-9a-f-]+:d=0;shop: claude asks\x1b\\/,
      );
      expect(world.calls('notify-send')).toEqual([
        [
          '--app-name=Holdfast',
          '--urgency=critical',
          '--print-id',
          '--',
          'shop: claude asks',
          `holdfast answer ${id.slice(0, 8)}`,
        ],
      ]);
      const phone = world.list().find(({ channel }) => channel === 'phone');
      expect(
        ntfy.received.map(({ method, path, headers, body }) => [method, path, headers.authorization, body]),
      ).toEqual([
        [
          'POST',
          '/',
          'Bearer a-token',
          {
            topic: 'a topic',
            title: 'shop: claude asks',
            message: `holdfast answer ${id.slice(0, 8)}`,
            priority: 4,
            sequence_id: phone?.id,
          },
        ],
      ]);
      expect(gotify.received).toEqual([]);
      await world.clock.untilAsleep();
      world.clock.advance(10 * 60_000);
      await gotify.until(1);
      expect(gotify.received[0]).toMatchObject({
        method: 'POST',
        path: '/message',
        headers: { 'x-gotify-key': 'a-token' },
      });
      await until(() => expect(statesOf(world)).toContain('later sent'));
      await world.answer(id);
      await until(() =>
        expect(statesOf(world)).toEqual([
          'desk answered',
          'later answered',
          'phone answered',
          'screen answered',
        ]),
      );
      expect(world.list().map(({ isTakenBack }) => isTakenBack)).toEqual([true, true, true, true]);
      expect(world.screen.text).toContain('\x1b[23;2t');
      expect(world.screen.text).toMatch(/\x1b\]99;i=[0-9a-f-]+:p=close;\x1b\\$/);
      expect(world.calls('gdbus').at(-1)?.at(-1)).toBe('7');
      expect(ntfy.received.at(-1)).toMatchObject({ method: 'DELETE', path: `/a%20topic/${phone?.id}` });
      expect(gotify.received.at(-1)).toMatchObject({
        method: 'DELETE',
        path: '/message/41',
        headers: { 'x-gotify-key': 'c-token' },
      });
      expect([ntfy, gotify].map(({ received }) => received.length)).toEqual([2, 2]);
    },
  );

  verifies('N03', 'a card on a focused screen causes no notice, and stops an escalation', async () => {
    await using server = await noticeServer();
    await using world = await noticeWorld({
      env,
      channels: { hook: HOOK(server.url), later: HOOK(server.url, { afterMinutes: 5 }) },
    });
    const id = await world.ask();
    {
      await using telling = world.open();
      telling.noteSeen(id);
      await until(() => expect(statesOf(world)).toEqual(['hook seen', 'later seen']));
    }
    expect(server.received).toEqual([]);
  });

  verifies(
    'N03',
    'three that come together are sent as one (3 waiting), and taken back when none is waiting',
    async () => {
      await using server = await noticeServer();
      await using world = await noticeWorld({
        env,
        channels: { phone: { type: 'ntfy', url: server.url, topic: 'env:TOPIC' } },
      });
      const first = await world.ask('one');
      await using _telling = world.open();
      await until(() => expect(statesOf(world)).toEqual(['phone sent']));
      const ids = [await world.ask('two'), await world.ask('three'), await world.ask('four')];
      await until(() => expect(statesOf(world)).toHaveLength(4));
      await world.clock.untilAsleep();
      expect(server.received).toHaveLength(1);
      world.clock.advance(60_000);
      await server.until(2);
      expect(server.received[1]?.body).toMatchObject({ title: 'Holdfast: 3 waiting' });
      await until(() => expect(statesOf(world)).toEqual(Array(4).fill('phone sent')));
      for (const id of [first, ...ids.slice(1)]) await world.answer(id);
      await server.until(1, ({ method }) => method === 'DELETE');
      await until(() => expect(statesOf(world).filter((state) => state === 'phone sent')).toHaveLength(1));
      expect(server.received.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
      await world.answer(ids[0] ?? '');
      await server.until(2, ({ method }) => method === 'DELETE');
    },
  );

  verifies('N03', 'quiet hours hold notices back, and they are sent as one when the hours end', async () => {
    await using server = await noticeServer();
    await using world = await noticeWorld({
      env,
      channels: { hook: HOOK(server.url) },
      settings: { quietHours: '00:00-23:59' },
    });
    await world.ask('one');
    await world.ask('two');
    const noon = new Date(2026, 10, 15, 12, 0, 0);
    world.clock.jumpTo(noon.toISOString());
    await using _telling = world.open();
    await until(() => expect(statesOf(world)).toEqual(['hook queued', 'hook queued']));
    await world.clock.untilAsleep();
    expect(server.received).toEqual([]);
    world.clock.jumpTo(new Date(2026, 10, 15, 23, 59, 1).toISOString());
    world.clock.advance(30_000);
    await server.until(1);
    expect(server.received[0]?.body).toMatchObject({ title: 'Holdfast: 2 waiting' });
  });
});

describe('questions that were waiting before', () => {
  it('are no news for the screen of a process that starts, however long it lives', async () => {
    await using world = await noticeWorld({ env, channels: { screen: { type: 'terminal' } } });
    await world.ask('old');
    await using _telling = world.open({ hasScreen: true });
    await world.clock.untilAsleep();
    world.clock.advance(30_000);
    await world.ask('new');
    await until(() => expect(statesOf(world)).toEqual(['screen sent']));
    expect(world.screen.text.match(/\x07/g)).toHaveLength(2);
  });
});

describe('one event, one send', () => {
  verifies('N01', 'whoever sees it: eight processes and a restart', async () => {
    await using server = await noticeServer();
    await using world = await noticeWorld({ env, channels: { hook: HOOK(server.url) } });
    {
      const telling = Array.from({ length: 8 }, () => world.open());
      await world.ask();
      await until(() => expect(statesOf(world)).toEqual(['hook sent']));
      for (const one of telling) await one[Symbol.asyncDispose]();
    }
    {
      await using _again = world.open();
      await world.clock.untilAsleep();
    }
    expect(server.received).toHaveLength(1);
  });

  verifies('N02', 'an endpoint that fails is tried again under the same id, later and later', async () => {
    await using server = await noticeServer((_request, count) => ({ status: count < 3 ? 503 : 200 }));
    await using world = await noticeWorld({ env, channels: { hook: HOOK(server.url) } });
    await world.ask();
    await using _telling = world.open();
    await server.until(1);
    await until(() =>
      expect(world.list()).toMatchObject([
        { state: 'queued', tries: 1, reason: expect.stringContaining('replied 503') },
      ]),
    );
    await world.clock.untilAsleep();
    world.clock.advance(5_000);
    await server.until(2);
    await until(() => expect(world.list()).toMatchObject([{ tries: 2 }]));
    await world.clock.untilAsleep();
    world.clock.advance(15_000);
    await until(() => expect(world.list()).toMatchObject([{ state: 'sent', tries: 3, reason: null }]));
    expect(new Set(server.received.map(({ headers }) => headers['x-holdfast-notice'])).size).toBe(1);
  });

  it.each([
    ['refuses', { status: 403 }, /replied 403/],
    [
      'redirects',
      { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      /redirects to another address \(307\)/,
    ],
  ] as const)('an endpoint that %s is not tried again', async (_what, reply, reason) => {
    await using server = await noticeServer(() => reply);
    await using world = await noticeWorld({ env, channels: { hook: HOOK(server.url) } });
    await world.ask();
    await using _telling = world.open();
    await until(() => expect(statesOf(world)).toEqual(['hook failed']));
    expect(world.list()[0]?.reason).toMatch(reason);
    expect(server.received).toHaveLength(1);
  });

  it('a message whose endpoint replies only after the answer is still taken back', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await noticeServer();
    await using world = await noticeWorld({
      env,
      channels: { phone: { type: 'ntfy', url: server.url, topic: 'env:TOPIC' } },
    });
    const real = globalThis.fetch;
    vi.stubGlobal('fetch', async (...given: Parameters<typeof fetch>) => {
      const response = await real(...given);
      await held;
      return response;
    });
    try {
      const id = await world.ask();
      await using _telling = world.open();
      await server.until(1);
      await world.answer(id);
      release();
      await until(() => expect(statesOf(world)).toEqual(['phone answered']));
      expect(world.list()[0]?.isTakenBack).toBe(true);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('an endpoint that hangs keeps no process from ending, and the notice stays for the next one', async () => {
    await using server = await noticeServer(() => 'hang');
    await using world = await noticeWorld({ env, channels: { hook: HOOK(server.url) } });
    await world.ask();
    const telling = world.open();
    await server.until(1);
    const left = telling[Symbol.asyncDispose]();
    await until(() => expect(world.clock.sleepers).toBeGreaterThan(0));
    world.clock.advance(3_000);
    await left;
    expect(world.list()).toMatchObject([
      { state: 'queued', reason: expect.stringContaining('before the reply') },
    ]);
  });

  it('a channel whose secret is missing here waits for a process that has it', async () => {
    await using server = await noticeServer();
    await using world = await noticeWorld({ channels: { hook: HOOK(server.url) } });
    await world.ask();
    await using _telling = world.open();
    await until(() =>
      expect(world.list()).toMatchObject([
        { state: 'queued', tries: 0, reason: 'HOOK_SECRET is not set here' },
      ]),
    );
  });

  it('a sent message is left to a process that can take it back', async () => {
    await using server = await noticeServer();
    await using world = await noticeWorld({
      channels: { phone: { type: 'ntfy', url: server.url, topic: 'env:TOPIC' } },
    });
    const id = await world.ask();
    {
      await using _able = world.open({ env });
      await server.until(1);
    }
    await world.answer(id);
    {
      await using _unable = world.open();
      await world.clock.untilAsleep();
    }
    expect(statesOf(world)).toEqual(['phone sent']);
    await using _able = world.open({ env });
    await server.until(2);
    await until(() => expect(world.list()).toMatchObject([{ state: 'answered', isTakenBack: true }]));
  });
});
