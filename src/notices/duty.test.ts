import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noticeWorld } from '../../test/support/notice-world.js';
import { NoticeDuty } from './duty.js';
import { NoticeNotSentError } from './errors.js';
import type { NoticeEvent } from './events.js';
import { NoticeStore } from './store.js';
import type { Message } from './words.js';

const QUESTION = '6b1f9c2e-0000-4000-8000-000000000002';

/** Two processes with the same channel; a test decides how sending goes. */
async function dutyWorld(send: (message: Message) => Promise<string | null>) {
  const world = await noticeWorld({ channels: {} });
  const { tools } = world.services;
  const directory = join(world.directory, 'own', 'state', 'notices');
  const signal = new AbortController().signal;
  const duty = (statuses: () => Promise<ReadonlyMap<string, string>>) =>
    new NoticeDuty({
      store: new NoticeStore(tools, directory),
      channels: [{ name: 'desk', settings: { type: 'desktop' }, channel: { unfit: () => undefined, send } }],
      settings: { quietHours: null, digestMs: 0 },
      clock: world.clock,
      log: world.log,
      statuses,
    });
  const event: NoticeEvent = {
    key: `question:${QUESTION}`,
    kind: 'question',
    at: world.clock.now().toISOString(),
    question: QUESTION,
    directory: '/work/shop',
    agent: 'claude',
    shortId: '6b1f9c2e',
    detail: null,
    text: null,
  };
  const list = () => new NoticeStore(tools, directory).list().notices;
  return { world, duty, event, signal, list, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

const pending = async () => new Map([[QUESTION, 'pending']]);

describe('the duty of a channel', () => {
  it('acts on what is on disk when it is taken, not on what was read before', async () => {
    const sent: string[] = [];
    await using made = await dutyWorld(async ({ id }) => {
      sent.push(id);
      return null;
    });
    const { duty, event, signal } = made;
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = duty(() => gate.then(pending));
    slow.tell(event);
    const late = slow.pass(signal);
    await duty(pending).pass(signal);
    release();
    await late;
    expect(sent).toHaveLength(1);
  });

  it('belongs to one process while it sends: another leaves it alone and comes back', async () => {
    let reply = (_message: string | null) => {};
    const sent: string[] = [];
    await using made = await dutyWorld(({ id }) => {
      sent.push(id);
      return new Promise((resolve) => {
        reply = resolve;
      });
    });
    const { duty, event, signal, list, world } = made;
    const first = duty(pending);
    first.tell(event);
    const sending = first.pass(signal);
    while (sent.length === 0) await pending();
    const again = await duty(pending).pass(signal);
    expect(again?.getTime()).toBe(world.clock.now().getTime() + 1_000);
    reply('7');
    await sending;
    await duty(pending).pass(signal);
    expect([sent.length, list()]).toMatchObject([1, [{ state: 'sent', message: '7', tries: 1 }]]);
  });

  it('notes the reason in the record when a channel refuses, and does not throw', async () => {
    await using made = await dutyWorld(async () => {
      throw new NoticeNotSentError('reply', 'host replied 410');
    });
    const { duty, event, signal, list } = made;
    const one = duty(pending);
    one.tell(event);
    await one.pass(signal);
    expect(list()).toMatchObject([{ state: 'failed', reason: 'host replied 410', tries: 1 }]);
  });

  it('does not throw when a channel breaks in an unforeseen way either', async () => {
    await using made = await dutyWorld(async () => {
      throw new TypeError('a bug');
    });
    const { duty, event, signal, list, world } = made;
    const one = duty(pending);
    one.tell(event);
    await one.pass(signal);
    expect(list()).toMatchObject([{ state: 'queued' }]);
    expect(world.log.named('notice.channel-failed')).toHaveLength(1);
  });
});
