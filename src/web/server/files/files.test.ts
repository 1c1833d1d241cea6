import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { appWorld } from '../../../../test/support/app-world.js';
import { FakeClock } from '../../../../test/support/fake-clock.js';
import { issueCode, spendCode } from './codes.js';
import { addDevice, deviceOf, listDevices, noteSeen, revokeDevice, revokeDevices } from './devices.js';
import { fixOrigin, movePort, readOrigin } from './origin.js';
import { askToStop, listServers, noteServer } from './servers.js';
import { webPlace } from './web-place.js';

const FACTS = { name: 'phone', can: 'answer', origin: 'http://hf-aaaaaaaa.localhost:1' } as const;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

async function place() {
  const world = await appWorld();
  const clock = new FakeClock();
  return {
    world,
    clock,
    place: webPlace(world.services({ clock })),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

it('takes a code within two minutes and not later', async () => {
  await using own = await place();
  const first = issueCode(own.place, 'view');
  await own.clock.advance(2 * MINUTE_MS);
  expect(spendCode(own.place, first.code)).toBe('view');
  const second = issueCode(own.place, 'view');
  await own.clock.advance(2 * MINUTE_MS + 1);
  expect(spendCode(own.place, second.code)).toBeUndefined();
});

it('has 192 bits in a code, and takes only the newest, once', async () => {
  await using own = await place();
  const older = issueCode(own.place, 'answer');
  const newer = issueCode(own.place, 'steer');
  expect(Buffer.from(newer.code, 'base64url')).toHaveLength(24);
  expect([older, newer, newer].map(({ code }) => spendCode(own.place, code))).toEqual([
    undefined,
    'steer',
    undefined,
  ]);
  expect(spendCode(own.place, '')).toBeUndefined();
});

it('knows a device for thirty days after it was last seen', async () => {
  await using own = await place();
  const { cookie, device } = addDevice(own.place, FACTS);
  await own.clock.advance(29 * DAY_MS);
  expect(noteSeen(own.place, device)).toBe(true);
  expect(noteSeen(own.place, device)).toBe(false);
  await own.clock.advance(29 * DAY_MS);
  expect(deviceOf(own.place, cookie)?.id).toBe(device.id);
  await own.clock.advance(2 * DAY_MS);
  expect(deviceOf(own.place, cookie)).toBeUndefined();
  expect(listDevices(own.place)).toMatchObject([{ id: device.id, state: 'expired' }]);
});

it('remembers revoked devices: the record stays, and being seen does not undo it', async () => {
  await using own = await place();
  const { cookie, device } = addDevice(own.place, FACTS);
  revokeDevice(own.place, device.id.slice(0, 4), 'lost');
  await own.clock.advance(DAY_MS);
  noteSeen(own.place, device);
  expect(deviceOf(own.place, cookie)).toBeUndefined();
  expect(listDevices(own.place)).toMatchObject([{ state: 'revoked', reason: 'lost' }]);
  expect(revokeDevices(own.place, 'again')).toEqual([]);
});

it('lets no device in by a record that cannot be read', async () => {
  await using own = await place();
  const { cookie, device } = addDevice(own.place, FACTS);
  const directory = own.world.dir.at('holdfast', 'state', 'web', 'devices');
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/${device.id}.json`, '{');
  expect(() => deviceOf(own.place, cookie)).toThrow(/not JSON/);
  expect(listDevices(own.place)).toEqual([]);
});

it.each(['', '../../etc/passwd', '..', '/', '\0', 'x'.repeat(100_000)])(
  'finds no device by the cookie %j',
  async (cookie) => {
    await using own = await place();
    expect(deviceOf(own.place, cookie)).toBeUndefined();
  },
);

it('keeps name and port when another process comes second; a port the person names replaces it', async () => {
  await using own = await place();
  const first = fixOrigin(own.place, 4001);
  expect(first.name).toMatch(/^hf-[a-z0-9]{8}$/);
  expect(fixOrigin(own.place, 4002)).toMatchObject({ name: first.name, port: 4001 });
  movePort(own.place, 4003);
  expect(readOrigin(own.place)).toMatchObject({ name: first.name, port: 4003 });
});

it('asks a server to stop by its own record', async () => {
  await using own = await place();
  const facts = { origins: ['http://x.localhost:1'], port: 1, socket: null };
  const [one, two] = [noteServer(own.place, facts), noteServer(own.place, facts)];
  const servers = listServers(own.place);
  expect(servers.map(({ pid }) => pid)).toEqual([process.pid, process.pid]);
  let asked = 0;
  for (const server of servers.slice(0, 1)) askToStop(own.place, server);
  for (const noted of [one, two]) noted.onStop(() => (asked += 1));
  expect(asked).toBe(1);
  for (const noted of [one, two]) noted.close();
  expect(listServers(own.place)).toEqual([]);
});
