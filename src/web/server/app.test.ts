import { expect, it } from 'vitest';
import { type AppWorld, appWorld } from '../../../test/support/app-world.js';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { question } from '../../../test/support/question-world.js';
import type { FileSystem } from '../../storage/index.js';
import { webApp } from './app.js';
import { composeWeb } from './compose.js';
import { issueCode } from './files/codes.js';
import { addDevice } from './files/devices.js';
import { webPlace } from './files/web-place.js';
import { OwnOrigins } from './gate/own-origins.js';
import { Streams } from './live/streams.js';

const ORIGIN = 'http://hf-aaaaaaaa.localhost:4001';
const LIMITS = { signInFailures: 5, writes: 60, streams: 8 };

/** The server without a socket. */
function server(world: AppWorld, fileSystem?: FileSystem) {
  const services = world.services(fileSystem === undefined ? {} : { fileSystem });
  const place = webPlace(services);
  const origins = new OwnOrigins([{ origin: ORIGIN, isBehind: false }]);
  const parts = composeWeb(services, {
    place,
    origins,
    limits: LIMITS,
    signal: new AbortController().signal,
    streams: new Streams(place),
  });
  const app = webApp(parts);
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { host: new URL(ORIGIN).host, origin: ORIGIN, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const close = () => {
    parts.streams[Symbol.dispose]();
    parts.feed[Symbol.dispose]();
    services.tools.watcher.close();
  };
  const look = (path: string, accept: string) =>
    app.request(`${ORIGIN}${path}`, { headers: { host: new URL(ORIGIN).host, accept } });
  return { services, place, send, look, [Symbol.dispose]: close };
}

it('does not acknowledge an answer that a full disk did not take, and says so', async () => {
  await using world = await appWorld();
  using whole = server(world);
  const { id } = await whole.services.questions.create([question()]);
  const { cookie, key } = addDevice(whole.place, { name: 'n', can: 'steer', origin: ORIGIN });
  const failing = new FailingFileSystem({ fault: 'ENOSPC', at: 1, isLasting: true, only: ['write'] });
  using full = server(world, failing);
  const reply = await full.send(
    `/api/questions/${id}/answer`,
    { answers: [{ questionIndex: 0, selectedOption: question().options[0]?.label }], isWhole: true },
    { cookie: `hf_4001=${cookie}`, 'x-holdfast-key': key },
  );
  expect(reply.status).toBe(500);
  expect(await reply.json()).toMatchObject({
    code: expect.stringMatching(/^(ATOMIC_WRITE_FAILED|STORAGE_FAILED)$/),
  });
  expect((await whole.services.questions.get(id)).outcome.status).toBe('pending');
});

it('signs in no device that a full disk cannot store', async () => {
  await using world = await appWorld();
  using whole = server(world);
  const { code } = issueCode(whole.place, 'view');
  using full = server(
    world,
    new FailingFileSystem({ fault: 'ENOSPC', at: 1, isLasting: true, only: ['write'] }),
  );
  const reply = await full.send('/api/login', { code, name: 'n' });
  expect(reply.status).toBe(500);
  expect(reply.headers.get('set-cookie')).toBeNull();
});

it('reveals nothing about a foreign error', async () => {
  await using world = await appWorld();
  using own = server(world);
  const { cookie, key } = addDevice(own.place, { name: 'n', can: 'steer', origin: ORIGIN });
  own.services.questions.resolve = () => {
    throw new Error('/home/somebody/secret');
  };
  const reply = await own.send(
    '/api/questions/x/reject',
    { reason: null },
    { cookie: `hf_4001=${cookie}`, 'x-holdfast-key': key },
  );
  expect(reply.status).toBe(500);
  expect(await reply.text()).not.toContain('secret');
});

it('shows the page to a person who opens an unknown address, and tells a program that nothing is there', async () => {
  await using world = await appWorld();
  using one = server(world);
  const opened = await one.look('/no/such/place', 'text/html,application/xhtml+xml');
  expect([opened.status, opened.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  for (const [path, accept] of [
    ['/no/such/place', 'application/json'],
    ['/api/none', 'text/html'],
  ] as const)
    expect(await (await one.look(path, accept)).json()).not.toBeNull();
});
