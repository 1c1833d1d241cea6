import { createHmac } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createServices } from '../../src/app/services.js';
import { PATIENT } from '../support/deadlines.js';
import { type Machine, machine } from '../support/holdfast-binary.js';
import { itNeeds } from '../support/it-needs.js';
import { type NoticeServer, noticeServer } from '../support/notice-server.js';
import { CHECK, notDone, PLAN, runWorld, WHOLE_WAY } from '../support/run-world.js';
import { Pane } from '../support/tmux.js';
import { verifies } from '../support/verifies.js';

const QUESTION = {
  title: 'Numbers',
  prompt: 'Which numbers should the adder know?',
  options: [{ label: 'Plain' }, { label: 'Big' }],
};
const ASK = { ask: { questions: [QUESTION] } };
const SECRET = 'a-secret-of-the-test';

function hookTo(server: NoticeServer, more: object = {}) {
  return {
    settings: {
      notices: {
        channels: { hook: { type: 'webhook', url: `${server.url}/in`, secret: 'env:HOOK_SECRET', ...more } },
      },
    },
  };
}

function inbox(world: Machine) {
  return createServices({ environment: world.env, workingDirectory: world.project, command: 'a person' })
    .questions;
}

describe('a run whose agent asks', () => {
  verifies('N01', 'a signed webhook gets one message about the question and one about the end', async () => {
    await using server = await noticeServer();
    await using world = await runWorld([{ steps: [ASK, notDone] }, ...WHOLE_WAY], hookTo(server));
    const run = world.begin(['--attended'], { env: { HOOK_SECRET: SECRET } });
    const [asked] = await server.until(1);
    const [waiting] = await inbox(world).list();
    expect(asked?.body.notices).toEqual([
      expect.objectContaining({ kind: 'question', question: waiting?.id, project: 'projéct 1', text: null }),
    ]);
    const {
      'x-holdfast-timestamp': at,
      'x-holdfast-signature': signature,
      'x-holdfast-notice': id,
    } = asked?.headers ?? {};
    expect(signature).toBe(
      `sha256=${createHmac('sha256', SECRET).update(`${at}.${asked?.text}`).digest('hex')}`,
    );
    expect(id).toBe(asked?.body.id);
    await inbox(world).answer(waiting?.id ?? '', [{ questionIndex: 0, selectedOption: 'Plain' }]);
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(server.received.map(({ body }) => body.notices.map(({ kind }: { kind: string }) => kind))).toEqual(
      [['question'], ['run-ended']],
    );
    const { data } = await world.asideJson(['notify', 'list']);
    expect(data.notices).toMatchObject([
      { kind: 'question', channel: 'hook', state: 'answered', isTakenBack: false, tries: 1 },
      { kind: 'run-ended', channel: 'hook', state: 'sent', tries: 1 },
    ]);
  });
});

const ASK_NOW = ['ask', 'Deploy now?', '--option', 'Yes', '--option', 'No'];
const env = { HOOK_SECRET: SECRET };

function stateIn(world: Machine): string {
  return join(world.env.HOLDFAST_HOME ?? '', 'state', 'notices');
}

async function notices(world: Machine) {
  return (await world.asideJson(['notify', 'list'])).data.notices;
}

describe('several processes', () => {
  verifies('N01', 'that all see one question send one message', async () => {
    await using server = await noticeServer();
    await using world = await machine();
    world.configure(hookTo(server).settings);
    const seeing = [
      world.start(['mcp'], { env }),
      world.start(['mcp'], { env }),
      world.start(ASK_NOW, { env }),
    ];
    await server.until(1);
    await vi.waitFor(async () => expect(await notices(world)).toMatchObject([{ state: 'sent' }]), PATIENT);
    const [view] = await inbox(world).list();
    await inbox(world).answer(view?.id ?? '', [{ questionIndex: 0, selectedOption: 'Yes' }]);
    for (const { child } of seeing) child.stdin.end();
    for (const one of seeing) expect(await one.ended).toMatchObject({ code: 0 });
    expect(server.received).toHaveLength(1);
    expect(await notices(world)).toMatchObject([{ state: 'answered', tries: 1 }]);
  });

  it('leave nothing that others may read, and no secret', async () => {
    await using server = await noticeServer();
    await using world = await machine();
    world.configure(hookTo(server).settings);
    await world.run([...ASK_NOW, '--no-wait'], { env });
    const files = readdirSync(stateIn(world)).map((name) => join(stateIn(world), name));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
    expect(JSON.stringify(await notices(world))).not.toContain(SECRET);
  });
});

describe('a channel that fails', () => {
  verifies('N02', 'neither fails nor stops a run, and says why in `notify list`', async () => {
    await using server = await noticeServer(() => 'hang');
    await using world = await runWorld(WHOLE_WAY, hookTo(server));
    expect(await world.go([], { env })).toMatchObject({ code: 0 });
    expect(await notices(world)).toMatchObject([
      { kind: 'run-ended', state: 'queued', reason: expect.stringContaining('ended before the reply') },
    ]);
  });

  verifies('N02', '`notify test` says which leg failed, and exits with 1', async () => {
    await using server = await noticeServer(() => ({
      status: 302,
      headers: { location: 'http://127.0.0.1:1/' },
    }));
    await using world = await machine();
    world.configure(hookTo(server).settings);
    const tried = await world.run(['notify', 'test'], { env });
    expect(tried).toMatchObject({ code: 1 });
    expect(tried.stdout).toMatch(/^hook \(webhook\) {2}failed at: reply: 127\.0\.0\.1:\d+ redirects/);
    expect(await world.run(['notify', 'test', 'hock'], { env })).toMatchObject({ code: 4 });
    const { stdout } = await world.run(['notify', 'list']);
    expect(stdout).toMatch(/hook +failed +Holdfast: this is a test .*redirects to another address \(302\)/);
  });
});

describe('the settings', () => {
  it.each([
    [
      'phone',
      { type: 'ntfy', url: 'https://ntfy.example', topic: 'my-topic' },
      /topic: must say where the secret is/,
    ],
    [
      'chat',
      { type: 'webhook', url: 'https://hooks.example/T0/B0/x', template: 'slack' },
      /url: must say where/,
    ],
    ['hook', { type: 'webhook', url: 'https://hooks.example/' }, /secret: is missing/],
    [
      'hook',
      { type: 'webhook', url: 'https://me:pw@hooks.example/', secret: 'env:S' },
      /no user or password/,
    ],
    ['Phone', { type: 'desktop' }, /lower-case letters/],
    ['own', { type: 'command', command: 'sh -c true' }, /command/],
  ])('refuse %s %j', async (name, channel, words) => {
    await using world = await machine();
    const args = ['config', 'set', `notices.channels.${name}`, JSON.stringify(channel)];
    const refused = await world.aside(args);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  it('are set one by one, and a quick command with them reads them', async () => {
    await using world = await machine();
    const set = (key: string, value: string) => world.run(['config', 'set', key, value]);
    expect(await set('notices.channels.desk', '{"type":"desktop"}')).toMatchObject({ code: 0 });
    expect(await set('notices.channels.desk.afterMinutes', '5')).toMatchObject({ code: 0 });
    expect(await set('notices.quietHours', '25:00-07:00')).toMatchObject({ code: 2 });
    expect(await set('notices.quietHours', '22:00-07:00')).toMatchObject({ code: 0 });
    expect(await world.run(['questions', 'list'])).toMatchObject({ code: 0 });
    const { data } = await world.asideJson(['config', 'get', 'notices.channels']);
    expect(data.value).toEqual({ desk: { type: 'desktop', afterMinutes: 5 } });
  });
});

describe('a run in a terminal', () => {
  const bellsIn = (text: string) => text.split('\x07').length - 1;

  itNeeds(
    { tmux: true },
    'rings for a question and for the end, and writes nothing down, without any setting',
    async () => {
      await using world = await runWorld([{ steps: [ASK, notDone] }, ...WHOLE_WAY]);
      await using pane = await Pane.open(world);
      const recorded = await pane.record();
      await pane.holdfast(`run ${PLAN} --agent player --verify '${CHECK}'`);
      await pane.until(/\(press a\)/);
      await pane.until(() => bellsIn(recorded()) === 1);
      const [view] = await inbox(world).list();
      await inbox(world).answer(view?.id ?? '', [{ questionIndex: 0, selectedOption: 'Plain' }]);
      expect(await pane.exitCode()).toBe(0);
      expect(bellsIn(recorded())).toBe(2);
      expect(recorded()).not.toContain('\x1b[?1004h');
      expect(readdirSync(join(stateIn(world), '..'))).not.toContain('notices');
    },
  );

  itNeeds({ tmux: true }, 'shows how many wait in its title, and puts the title back', async () => {
    await using world = await runWorld([{ steps: [ASK, notDone] }, ...WHOLE_WAY], {
      settings: { notices: { channels: { screen: { type: 'terminal' } } } },
    });
    await using pane = await Pane.open(world);
    const recorded = await pane.record();
    await pane.holdfast(`run ${PLAN} --agent player --verify '${CHECK}'`);
    await pane.until(/\(press a\)/);
    await pane.until(() => recorded().includes('\x1b]2;(1) holdfast\x07'));
    expect(recorded()).toContain('\x1b[?1004h');
    await pane.press('a');
    await pane.until('Question 1 of 1: Numbers');
    // Somebody types: the card is seen.
    await vi.waitFor(async () => expect(await notices(world)).toMatchObject([{ state: 'seen' }]), PATIENT);
    await pane.type('1');
    await pane.press('Enter');
    await pane.until('Review');
    await pane.press('Enter');
    expect(await pane.exitCode()).toBe(0);
    expect(recorded().lastIndexOf('\x1b[23;2t')).toBeGreaterThan(recorded().lastIndexOf('\x1b]2;'));
    expect(recorded().lastIndexOf('\x1b[?1004l')).toBeGreaterThan(recorded().lastIndexOf('\x1b[?1004h'));
  });
});

verifies('N02', '`notify test` without a channel says that there is none, and where one is set', async () => {
  await using world = await machine();
  const { code, stderr } = await world.run(['notify', 'test']);
  expect(code).toBe(4);
  expect(stderr).toContain('No channel is configured\nChannels are `notices.channels.<name>`');
});
