import { describe, expect, it } from 'vitest';
import { noticeServer } from '../../../test/support/notice-server.js';
import { noticeWorld } from '../../../test/support/notice-world.js';
import { verifies } from '../../../test/support/verifies.js';

/** A name that somebody malicious might give a project, an agent or a question. */
const HOSTILE = `a"; rm -rf ~; $(id) \`id\` '\x1b]0;owned\x07\x1b[2J\nsecond line\r\u202e\0${'x'.repeat(10_000)}`;
/** Everything a terminal acts on, except line breaks. */
const CONTROLS = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/;

const env = { HOOK_SECRET: 'secret', TOPIC: 'topic', TOKEN: 'token', SLACK: '', TERM: 'foot' };

async function hostileWorld(channels: Record<string, object>, more: Record<string, string> = {}) {
  const world = await noticeWorld({
    env: { ...env, ...more },
    channels,
    programs: { 'notify-send': 'echo 1', tell: '', tmux: 'echo off' },
    settings: { digestSeconds: 0 },
  });
  await world.services.questions.create(
    [{ title: 'Deploy', prompt: HOSTILE.replaceAll('\0', ''), options: [{ label: 'Yes' }, { label: 'No' }] }],
    {
      workingDirectory: `/work/${HOSTILE.replaceAll(/[\0/]/g, '').slice(0, 200)}`,
      asker: { agent: 'mad\x1b[31mdog' },
    },
  );
  return world;
}

/** Sends a notice for the existing question, on the screen as well, where only new questions are shown. */
async function tellAll(world: Awaited<ReturnType<typeof hostileWorld>>) {
  await using telling = world.open({ hasScreen: true });
  const [view] = await world.services.questions.list();
  const { eventOfQuestion } = await import('../events.js');
  const event = view && eventOfQuestion(view);
  if (event !== undefined) telling.tell(event);
}

describe('hostile words', () => {
  verifies('N02', 'are inert on every channel, and none gets more than it shows', async () => {
    await using server = await noticeServer(() => ({ status: 200, body: { id: '12' } }));
    await using world = await hostileWorld(
      {
        screen: { type: 'terminal', text: true },
        desk: { type: 'desktop', text: true },
        own: {
          type: 'command',
          command: ['tell', '--title={title}', '{body}', '{unknown}', '{title}'],
          text: true,
        },
        phone: { type: 'ntfy', url: server.url, topic: 'env:TOPIC', text: true },
        gotify: { type: 'gotify', url: server.url, token: 'env:TOKEN', text: true },
        hook: { type: 'webhook', url: server.url, secret: 'env:HOOK_SECRET', text: true },
        slack: { type: 'webhook', url: 'env:SLACK', template: 'slack', text: true },
        discord: { type: 'webhook', url: 'env:SLACK', template: 'discord', text: true },
      },
      { SLACK: `${server.url}/services/T0/secret` },
    );
    await tellAll(world);
    expect(world.list().map(({ channel, state, reason }) => [channel, state, reason])).toEqual(
      world.list().map(({ channel }) => [channel, 'sent', null]),
    );
    expect(world.list()).toHaveLength(8);
    const ours =
      /^\x07\x1b\[22;2t\x1b\]2;\(1\) holdfast\x07\x1b\]777;notify;([^;]*);(.*)\x07\x1b\[23;2t$/s.exec(
        world.screen.text,
      );
    expect(ours).not.toBeNull();
    const said = [
      ...world.calls('notify-send').flat(),
      ...world.calls('tell').flat(),
      ours?.[1] ?? '',
      ours?.[2] ?? '',
    ];
    for (const { body } of server.received) said.push(...textsIn(body));
    expect(said.filter((text) => CONTROLS.test(text))).toEqual([]);
    expect(said.filter((text) => text.length > 2_500)).toEqual([]);
    const [, body = '', unknown] = world.calls('tell')[0] ?? [];
    expect([body.split('\n').length, unknown]).toEqual([2, '{unknown}']);
    expect(server.received.find(({ path }) => path.startsWith('/services'))?.path).toBe(
      '/services/T0/secret',
    );
    const discord = server.received.find(({ path }) => path.endsWith('?wait=true'));
    expect(discord?.body.allowed_mentions).toEqual({ parse: [] });
  });

  it('are not sent at all unless the channel may have them', async () => {
    await using server = await noticeServer();
    await using world = await hostileWorld({
      hook: { type: 'webhook', url: server.url, secret: 'env:HOOK_SECRET' },
    });
    await tellAll(world);
    expect(server.received[0]?.body.notices[0].text).toBeNull();
    expect(server.received[0]?.text).not.toContain('x'.repeat(80));
  });

  it('do not contain the secret in the question', async () => {
    await using server = await noticeServer();
    await using world = await noticeWorld({
      env,
      channels: { hook: { type: 'webhook', url: server.url, secret: 'env:HOOK_SECRET', text: true } },
    });
    await world.ask('Use API_KEY=sk-ant-REDACTED ?');
    await tellAll(world);
    expect(server.received[0]?.text).toContain('[redacted:');
    expect(server.received[0]?.text).not.toContain('0123456789abcdef');
  });
});

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('a terminal', () => {
  it.each([
    [{ TERM: 'xterm-256color' }, ''],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, '\x1b]9;'],
    [{ TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty' }, '\x1b]777;notify;'],
    [{ TERM: 'xterm-kitty' }, '\x1b]99;'],
    [{ TERM: 'tmux-256color', TMUX: '/tmp/t,1,0', KITTY_WINDOW_ID: '1' }, ''],
  ])('%j gets a sequence that it understands', async (more: Record<string, string>, start) => {
    await using world = await hostileWorld(
      { screen: { type: 'terminal', title: false } },
      { TERM_PROGRAM: '', ...more },
    );
    await tellAll(world);
    expect(world.screen.text.slice(0, 1 + start.length)).toBe(`\x07${start}`);
    if (start === '') expect(world.screen.text).toBe('\x07');
  });

  it('inside a tmux that passes sequences on gets them wrapped', async () => {
    await using world = await noticeWorld({
      env: { TERM: 'tmux-256color', TMUX: '/tmp/t,1,0', WEZTERM_PANE: '0' },
      channels: { screen: { type: 'terminal', title: false } },
      programs: { tmux: 'echo on' },
    });
    await world.ask();
    await tellAll(world);
    expect(world.screen.text).toMatch(
      /^\x07\x1bPtmux;\x1b\x1b\]777;notify;shop: claude asks;[^\x1b]*\x07\x1b\\$/,
    );
  });

  it('that understands nothing gets only the bell', async () => {
    await using world = await noticeWorld({
      env: { TERM: 'dumb' },
      channels: { screen: { type: 'terminal' } },
    });
    await world.ask();
    await tellAll(world);
    expect(world.screen.text).toBe('\x07');
  });
});

describe('notify test', () => {
  verifies('N02', 'names the leg that failed, and says what was sent and taken back', async () => {
    await using good = await noticeServer();
    await using bad = await noticeServer(() => ({ status: 401 }));
    await using world = await noticeWorld({
      env: { HOOK_SECRET: 'secret', TOPIC: 'topic', TERM: 'xterm' },
      programs: { fails: 'exit 3' },
      channels: {
        phone: { type: 'ntfy', url: good.url, topic: 'env:TOPIC' },
        hook: { type: 'webhook', url: good.url, secret: 'env:HOOK_SECRET' },
        refused: { type: 'webhook', url: bad.url, secret: 'env:HOOK_SECRET' },
        nobody: { type: 'webhook', url: 'http://127.0.0.1:1/', secret: 'env:HOOK_SECRET' },
        bare: { type: 'gotify', url: good.url, token: 'env:GOTIFY_TOKEN' },
        program: { type: 'command', command: ['fails'] },
        missing: { type: 'command', command: ['there-is-no-such-program'] },
        screen: { type: 'terminal' },
      },
    });
    const reports = await world.test();
    expect(
      reports.map(({ channel, isSent, leg, isTakenBack, reason }) => [
        channel,
        isSent,
        leg,
        isTakenBack,
        reason?.replace(/127\.0\.0\.1:\d+/, 'host'),
      ]),
    ).toEqual([
      ['phone', true, null, true, undefined],
      ['hook', true, null, false, 'this channel cannot take a message back'],
      ['refused', false, 'reply', false, 'host replied 401'],
      ['nobody', false, 'connection', false, expect.stringContaining('host cannot be reached')],
      ['bare', false, 'secret', false, 'GOTIFY_TOKEN is not set here'],
      ['program', false, 'program', false, 'fails ended with 3'],
      ['missing', false, 'program', false, 'there-is-no-such-program is not installed here'],
      ['screen', true, null, true, undefined],
    ]);
    expect(world.list().filter(({ state }) => state === 'sent')).toHaveLength(3);
    await expect(world.test('phones')).rejects.toMatchObject({ code: 'CHANNEL_NOT_FOUND' });
  });
});
