import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createServices } from '../../src/app/index.js';
import { issueCode, listDevices, webPlace } from '../../src/web/server/index.js';
import { PATIENT } from '../support/deadlines.js';
import { machine } from '../support/holdfast-binary.js';
import { question } from '../support/question-world.js';
import { Pane, verifiesInTerminal } from '../support/tmux.js';
import { verifies } from '../support/verifies.js';
import { sendTo, signIn, webWorld } from '../support/web-world.js';

const OPTIONS = [{ label: 'a' }, { label: 'b' }];
const A = { answers: [{ questionIndex: 0, selectedOption: 'a' }], isWhole: true };

/** The sockets that a process listens on. */
function listeningOf(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap(
      (name) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`))?.[1] ?? [],
    ),
  );
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === '0A' && inodes.has(inode))
      .map(([, local = '']) => local.split(':')[0] ?? ''),
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

verifies(
  'W03',
  'it listens on the two addresses of this machine alone, and other commands on none',
  async () => {
    await using world = await webWorld({ args: ['--quiet'] });
    const loopback = ['0100007F', '00000000000000000000000001000000'];
    expect(listeningOf(world.running?.child.pid ?? 0).every((address) => loopback.includes(address))).toBe(
      true,
    );
    expect(listeningOf(world.running?.child.pid ?? 0)).toContain('0100007F');
    const asking = world.machine.start(['ask', 'ok?', '--option', 'a', '--option', 'b']);
    await asking.printed('stderr', /Waiting/);
    expect(listeningOf(asking.child.pid ?? 0)).toEqual([]);
  },
);

verifies('W03', 'name and port stay; who is signed in stays signed in after kill -9', async () => {
  await using world = await webWorld({ args: ['--quiet'] });
  const browser = await world.signIn('answer');
  world.running?.child.kill('SIGKILL');
  await world.running?.ended;
  const again = await world.startAgain();
  expect(JSON.parse(again.stdout.trim()).origins[0]).toBe(world.origin);
  expect((await browser.get('/api/me')).json).toMatchObject({ device: browser.id, can: 'answer' });
});

verifies(
  'W03',
  'a port that was ours and is taken: refused with its owner, and who was signed in there is signed out',
  async () => {
    await using world = await webWorld({ args: ['--quiet'] });
    await world.signIn('steer');
    world.running?.child.kill('SIGKILL');
    await world.running?.ended;
    const thief = createServer();
    await new Promise<void>((resolve) => thief.listen(world.port, '127.0.0.1', resolve));
    const refused = await world.machine.json(['web']);
    expect(refused).toMatchObject({
      code: 5,
      data: { code: 'PORT_TAKEN', error: expect.stringContaining(`process ${process.pid}`) },
    });
    expect(refused.data.error).toContain('1 device signed out');
    expect(listDevices(webPlace(world.services))).toMatchObject([
      { state: 'revoked', reason: expect.stringContaining('port') },
    ]);
    await new Promise((resolve) => thief.close(resolve));
    const again = await world.startAgain();
    expect(JSON.parse(again.stdout.trim()).origins[0]).toBe(world.origin);
  },
);

verifies(
  'W03',
  'a second server of ours on the same port is refused and nobody is signed out; on another port both serve',
  async () => {
    await using world = await webWorld({ args: ['--quiet'] });
    const browser = await world.signIn('steer');
    const refused = await world.machine.json(['web']);
    expect(refused.data).toMatchObject({
      code: 'PORT_TAKEN',
      error: expect.stringContaining('another `holdfast web`'),
    });
    expect((await browser.get('/api/me')).status).toBe(200);
    const free = createServer();
    const port = await new Promise<number>((resolve) =>
      free.listen(0, '127.0.0.1', () => resolve((free.address() as { port: number }).port)),
    );
    await new Promise((resolve) => free.close(resolve));
    const second = await world.startAgain(['--port', `${port}`]);
    const [origin] = JSON.parse(second.stdout.trim()).origins;
    const other = await signIn(origin, port, world.code('view'));
    expect((await other.get('/api/me')).status).toBe(200);
    // One code, two servers: it counts once.
    const code = world.code('view');
    const tries = await Promise.allSettled([
      signIn(origin, port, code),
      signIn(world.origin, world.port, code),
    ]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const stopped = await world.machine.json(['web', 'stop']);
    expect(stopped.data.stopped).toHaveLength(2);
    expect((await Promise.all([world.running?.ended, second.ended])).map((end) => end?.code)).toEqual([0, 0]);
    expect(await world.machine.json(['web', 'stop'])).toMatchObject({
      code: 4,
      data: { code: 'WEB_NOT_RUNNING' },
    });
  },
);

verifies(
  'W03',
  'beyond this machine only with TLS or a declared proxy, and plain http only for this machine',
  async () => {
    await using box = await machine();
    for (const args of [
      ['--bind', '0.0.0.0'],
      ['--bind', '::'],
      ['--bind', '0.0.0.0', '--behind', 'http://host.example'],
      ['--bind', '0.0.0.0', '--behind', 'http://localhost:8080'],
      ['--behind', 'http://192.168.1.7:8080'],
      ['--socket', box.dir.at('s')],
    ])
      expect([args, (await box.asideJson(['web', ...args])).data.code]).toEqual([args, 'BIND_REFUSED']);
    for (const args of [
      ['--behind', 'https://host.example/path'],
      ['--bind', 'host.example'],
      ['--port', '0'],
    ])
      expect([args, (await box.asideJson(['web', ...args])).code]).toEqual([args, 2]);
  },
);

verifies(
  'W03',
  'behind a declared origin: that host counts, its cookie is secure and of that host alone',
  async () => {
    const behind = 'https://laptop.tail1234.ts.net';
    await using world = await webWorld({ args: ['--behind', behind] });
    expect(world.origin).toBe(behind);
    const pid = world.running?.child.pid ?? 0;
    const port = Number.parseInt(/:([0-9A-F]{4}) /.exec(portsOf(pid))?.[1] ?? '0', 16);
    const reply = await sendTo(behind, port, '/api/login', {
      method: 'POST',
      headers: { origin: behind, 'x-forwarded-for': 'written by anybody, 100.64.0.7' },
      body: { code: world.code(), name: 'phone' },
    });
    expect(reply.headers['set-cookie']?.[0]).toMatch(/^__Host-hf_443=.*; Path=\/; Max-Age=2592000; Secure$/);
    const audit = readFileSync(
      join(world.machine.env.HOLDFAST_HOME ?? '', 'state', 'web', 'audit.jsonl'),
      'utf8',
    );
    expect(audit).toContain('"address":"100.64.0.7"');
  },
);

function portsOf(pid: number): string {
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .filter((line) => line.includes('0100007F:') && line.includes(' 0A '))
    .filter((line) =>
      readdirSync(`/proc/${pid}/fd`).some(
        (name) => linkOf(`/proc/${pid}/fd/${name}`) === `socket:[${line.trim().split(/\s+/)[9]}]`,
      ),
    )
    .join('\n');
}

verifies(
  'W03',
  'S8 a socket is 0600 in a directory of ours, nothing listens on a port, and what was left by a killed server goes',
  async () => {
    await using box = await machine();
    const directory = box.dir.at('sockets');
    mkdirSync(directory, { mode: 0o700 });
    const socketPath = join(directory, 's');
    const behind = 'http://localhost:8080';
    await using world = await webWorld({ machine: box, args: ['--socket', socketPath, '--behind', behind] });
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    const second = await box.json(['web', '--socket', socketPath, '--behind', behind]);
    expect(second.data.code).toBe('PORT_TAKEN');
    expect(listeningOf(world.running?.child.pid ?? 0)).toEqual([]);
    expect((await sendTo(behind, 0, '/', { socketPath })).status).toBe(200);
    expect((await sendTo('http://localhost:8081', 0, '/', { socketPath })).status).toBe(421);
    world.running?.child.kill('SIGKILL');
    await world.running?.ended;
    await world.startAgain(['--socket', socketPath, '--behind', behind]);
    expect((await sendTo(behind, 0, '/', { socketPath })).status).toBe(200);
    const open = box.dir.at('open');
    mkdirSync(open, { mode: 0o777 });
    chmodSync(open, 0o777);
    const refused = await box.asideJson(['web', '--socket', join(open, 's'), '--behind', behind]);
    expect(refused.data.code).toBe('UNSAFE_PATH');
  },
);

verifies(
  'W03',
  'an answer that was acknowledged is on disk, whenever the server is killed; one that was not is whole or absent',
  async () => {
    await using world = await webWorld({ config: { web: { writesPerMinute: 100_000 } } });
    let running = world.running;
    const browser = await world.signIn('answer');
    for (let round = 0; round < 5; round += 1) {
      const { id } = await world.services.questions.create([question({ options: OPTIONS })]);
      const replied = browser
        .post(`/api/questions/${id}/answer`, A)
        .then(({ status }) => status)
        .catch(() => 0);
      setTimeout(() => running?.child.kill('SIGKILL'), round * 3);
      const status = await replied;
      await running?.ended;
      const { outcome } = await world.services.questions.get(id);
      if (status === 200) expect(outcome.status).toBe('completed');
      else expect(['pending', 'completed']).toContain(outcome.status);
      running = await world.startAgain();
      expect((await browser.post(`/api/questions/${id}/answer`, A)).status).toBe(200);
    }
  },
);

verifies(
  'W02',
  'what is answered at a terminal is told on the stream, settled and once; so is what comes and goes',
  async () => {
    await using world = await webWorld({ args: ['--quiet'] });
    const browser = await world.signIn('view');
    const stream = await browser.events();
    await vi.waitFor(() => expect(stream.of('state')).toHaveLength(1), PATIENT);
    const { id } = await world.services.questions.create([question({ options: OPTIONS })]);
    await vi.waitFor(
      () => expect(stream.of('change').flatMap(({ cards }) => cards)).toHaveLength(1),
      PATIENT,
    );
    await world.machine.aside(['answer', id, '--option', 'b']);
    await vi.waitFor(
      () => expect(stream.of('change').flatMap(({ settled }) => settled)).toHaveLength(1),
      PATIENT,
    );
    const [settled] = stream.of('change').flatMap(({ settled: cards }) => cards);
    expect(settled).toMatchObject({
      set: { sessionId: id, status: 'completed', actor: 'cli', answers: [{ selectedOption: 'b' }] },
    });
    const seqs = stream.of('change').map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
    stream.close();
  },
);

verifies('W03', '--detach serves in the background; `web stop` ends it, and streams are told', async () => {
  await using box = await machine();
  const started = await box.json(['web', '--detach']);
  expect(started).toMatchObject({ code: 0, data: { pid: expect.any(Number) } });
  const [origin] = started.data.origins;
  const port = Number(new URL(origin).port);
  const services = createServices({ environment: box.env, workingDirectory: box.project, command: 'test' });
  const browser = await signIn(origin, port, issueCode(webPlace(services), 'view').code);
  const stream = await browser.events();
  await vi.waitFor(() => expect(stream.of('state')).toHaveLength(1), PATIENT);
  const stopped = await box.json(['web', 'stop']);
  expect(stopped.data.stopped).toEqual([started.data.pid]);
  await vi.waitFor(() => expect(stream.isEnded).toBe(true), PATIENT);
  expect(stream.told.at(-1)).toEqual({ name: 'bye', data: { reason: 'stopping' } });
  const refused = await box.json(['web', '--detach', '--bind', '0.0.0.0']);
  expect(refused).toMatchObject({ code: 2, data: { error: expect.stringContaining('0.0.0.0') } });
});

verifiesInTerminal(
  'W03',
  'at a terminal a link is printed that can steer; `web link` makes others, but not where an agent works',
  async () => {
    await using box = await machine();
    await using pane = await Pane.open(box, { columns: 120 });
    await pane.holdfast('web');
    const [, origin = '', code = ''] =
      /(http:\S+)\/#code=([\w-]{32})/.exec((await pane.until(/code=[\w-]{32}/)).join('\n')) ?? [];
    const port = Number(new URL(origin).port);
    expect((await (await signIn(origin, port, code)).get('/api/me')).json.can).toBe('steer');
    await using second = await Pane.open(box, { columns: 120, name: 'second' });
    await second.holdfast('web link');
    const [, next = ''] = /#code=([\w-]{32})/.exec((await second.until(/code=[\w-]{32}/)).join('\n')) ?? [];
    expect((await (await signIn(origin, port, next)).get('/api/me')).json.can).toBe('answer');
    for (const [index, mark] of ['HOLDFAST_MARKER', 'RALPH_SESSION', 'HOLDFAST_RUN'].entries()) {
      await using agent = await Pane.open(box, { columns: 120, name: `agent${index}`, env: { [mark]: 'x' } });
      await agent.holdfast('web link');
      expect((await agent.until(/No link is made here/)).join('\n')).not.toContain('code=');
    }
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
  },
);

it('tells the API as OpenAPI, made from the operations', async () => {
  await using world = await webWorld({ args: ['--quiet'] });
  const browser = await world.signIn('view');
  const { json } = await browser.get('/api/openapi.json');
  expect(json.paths['/api/questions/{id}/answer'].post).toMatchObject({
    operationId: 'question.answer',
    'x-capability': 'answer',
    requestBody: { content: { 'application/json': { schema: { required: ['answers', 'isWhole'] } } } },
  });
});
