import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { PATIENT } from '../../../../test/support/deadlines.js';
import { noticeWorld } from '../../../../test/support/notice-world.js';
import { type PushReply, pushService } from '../../../../test/support/push-service.js';
import { verifies } from '../../../../test/support/verifies.js';
import { channelName, openPush } from '../../../app/notices/open-push.js';
import { encrypted } from './encrypt.js';
import { endpointFault, isPublicAddress } from './endpoint.js';
import { postToService } from './post.js';

const DEVICE = '0123456789abcdef';
const CHANNEL = channelName(DEVICE);
const ORIGIN = 'https://laptop.tail1234.ts.net';

/** A device that wants notices, and the service that delivers them. */
async function pushWorld(reply?: () => PushReply, settings: object = {}) {
  const service = await pushService(reply);
  const world = await noticeWorld({
    channels: {},
    settings: { digestSeconds: 0, push: settings },
    env: { HOLDFAST_TEST_PUSH_SERVICE: service.url },
  });
  const browser = service.browser();
  const push = openPush(world.services);
  push.keep({ id: DEVICE, origin: ORIGIN }, browser.subscription);
  const states = () => world.list().map(({ channel, state, reason }) => ({ channel, state, reason }));
  return {
    service,
    world,
    browser,
    push,
    states,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

describe('Web Push', () => {
  verifies('W04', 'a push is encrypted, signed, and taken back under its topic when answered', async () => {
    await using there = await pushWorld();
    const { world, browser } = there;
    await using _notices = world.open();
    const id = await world.ask('Which **secret** table?');
    const [told] = await browser.until(1);
    await world.answer(id);
    await browser.until(2);
    const [, over] = browser.messages;
    expect(told?.payload).toEqual({
      web_push: 8030,
      notification: {
        title: expect.stringMatching(/asks$/),
        body: `holdfast answer ${id.slice(0, 8)}`,
        navigate: `${ORIGIN}/q/${id}`,
        tag: told?.headers.topic,
        app_badge: 1,
      },
    });
    expect(told?.headers).toMatchObject({ ttl: '43200', urgency: 'high', 'content-encoding': 'aes128gcm' });
    expect(told?.claims.sub).toMatch(/^mailto:/);
    expect(over?.payload).toMatchObject({
      holdfast: { close: true },
      notification: { tag: told?.headers.topic, silent: true, app_badge: 0 },
    });
    // A phone that was away is told only that it is over.
    expect([...browser.waiting.values()]).toEqual([over]);
    await vi.waitFor(
      () => expect(world.list()).toMatchObject([{ channel: CHANNEL, state: 'answered', isTakenBack: true }]),
      PATIENT,
    );
  });

  it('keeps its keys and subscriptions readable only by this user', async () => {
    await using there = await pushWorld();
    const { world, push } = there;
    const web = world.services.config.layout.web;
    expect(push.key()).toBe(openPush(world.services).key());
    const modes = ['vapid.json', `push/${DEVICE}.json`].map((name) => statSync(join(web, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  });

  it.each([
    [{ status: 404 }, 'failed', /no longer accepts notices/, false],
    [{ status: 410 }, 'failed', /no longer accepts notices/, false],
    [{ status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'failed', /redirects/, true],
    [{ status: 403 }, 'failed', /replied 403/, true],
    [{ status: 503 }, 'queued', /replied 503/, true],
  ] as const)(
    '%j makes the notice %s, and only what is gone loses its subscription',
    async (reply, state, reason, isKept) => {
      await using there = await pushWorld(() => reply);
      const { world, push, states, service } = there;
      await using _notices = world.open();
      await world.ask();
      await vi.waitFor(
        () => expect(states()).toEqual([{ channel: CHANNEL, state, reason: expect.stringMatching(reason) }]),
        PATIENT,
      );
      expect([push.endpointOf(DEVICE) !== null, service.count()]).toEqual([isKept, 1]);
    },
  );

  it('gives up on a service that hangs, and keeps the notice for another try', async () => {
    await using service = await pushService(() => 'hang');
    const sent = postToService({
      endpoint: `${service.url}/push/1`,
      headers: {},
      body: Buffer.from('x'),
      signal: new AbortController().signal,
      timeoutMs: 50,
      isTest: true,
    });
    await expect(sent).rejects.toMatchObject({ code: 'NOTICE_NOT_SENT', leg: 'connection', isPassing: true });
  });

  it('sends nothing to a name that leads to a private address, whatever else it leads to', async () => {
    const resolve = ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
      callback(null, [
        { address: '142.250.1.1', family: 4 },
        { address: '10.0.0.7', family: 4 },
      ])) as never;
    const sent = postToService({
      endpoint: 'https://fcm.googleapis.com/fcm/send/x',
      headers: {},
      body: Buffer.from('x'),
      signal: new AbortController().signal,
      timeoutMs: 10_000,
      isTest: false,
      resolve,
    });
    await expect(sent).rejects.toThrow('fcm.googleapis.com has a private address; nothing is sent there');
  });

  it('shows nothing of a question unless it may, and then no secret', async () => {
    await using there = await pushWorld(undefined, { text: true });
    const { world, browser } = there;
    await using _notices = world.open();
    await world.ask('Use password=hunter2hunter2 \u001b[31m<img src=x onerror=alert(1)>?');
    const [told] = await browser.until(1);
    const { body } = told?.payload.notification ?? {};
    expect(body).toContain('<img src=x onerror=alert(1)>');
    expect(body).not.toMatch(/hunter2hunter2|\u001b/);
  });

  it('is tested by name or all together, and stays on the screen', async () => {
    await using there = await pushWorld();
    const { world, browser } = there;
    const reports = await world.test('push');
    expect(reports).toEqual([
      {
        channel: CHANNEL,
        type: 'push',
        isSent: true,
        leg: null,
        isTakenBack: false,
        reason: 'it stays until you close it',
      },
    ]);
    expect(browser.messages).toMatchObject([
      { payload: { notification: { title: 'Holdfast: this is a test' } } },
    ]);
  });

  it('sends to a device added later, and not to one that is gone', async () => {
    await using there = await pushWorld();
    const { world, push, service, browser } = there;
    await using _notices = world.open();
    const other = service.browser();
    push.keep({ id: 'fedcba9876543210', origin: ORIGIN }, other.subscription);
    push.drop(DEVICE);
    await world.clock.advance(2_000);
    await world.ask();
    await other.until(1);
    expect(browser.messages).toEqual([]);
  });
});

describe('the endpoint of a browser', () => {
  const services = { own: ['push.example.org'], test: undefined };

  it.each([
    ['https://fcm.googleapis.com/fcm/send/abc', true],
    ['https://updates.push.services.mozilla.com/wpush/v2/abc', true],
    ['https://web.push.apple.com/abc', true],
    ['https://wns2-par02p.notify.windows.com/w/?token=abc', true],
    ['https://push.example.org/abc', true],
    ['http://fcm.googleapis.com/abc', false],
    ['https://fcm.googleapis.com:8443/abc', false],
    ['https://user:pass@fcm.googleapis.com/abc', false],
    ['https://fcm.googleapis.com.example/abc', false],
    ['https://evilpush.apple.com.example/abc', false],
    ['https://127.0.0.1/abc', false],
    ['http://127.0.0.1:4711/abc', false],
    ['https://[::1]/abc', false],
    ['javascript:alert(1)', false],
    ['not a url', false],
    [`https://fcm.googleapis.com/${'a'.repeat(3_000)}`, false],
  ])('%s: %s', (endpoint, isTaken) => {
    expect(endpointFault(endpoint, services) === undefined).toBe(isTaken);
  });

  it.each([
    ['142.250.1.1', true],
    ['2a00:1450:4001::1', true],
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['100.100.1.1', false],
    ['169.254.169.254', false],
    ['172.16.0.1', false],
    ['192.168.1.1', false],
    ['0.0.0.0', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['fe80::1', false],
    ['fd00::1', false],
    ['x', false],
  ])('%s is a public address: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });

  it('is refused with keys that cannot be used', async () => {
    await using there = await pushWorld();
    const { push, browser } = there;
    const { endpoint, keys } = browser.subscription;
    const device = { id: DEVICE, origin: ORIGIN };
    const offCurve = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url');
    for (const wrong of [
      { ...keys, p256dh: offCurve },
      { ...keys, auth: 'AAAA' },
      { ...keys, p256dh: 'x' },
    ])
      expect(() => push.keep(device, { endpoint, keys: wrong })).toThrow(
        'The keys of the subscription are not valid',
      );
  });
});

it('encrypts the example of RFC 8291 exactly as printed there', () => {
  const body = encrypted(
    'When I grow up, I want to be a watermelon',
    {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    {
      privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
      salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
    },
  );
  expect(body.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});
