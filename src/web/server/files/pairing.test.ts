import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../../test/support/fake-clock.js';
import { storageTools } from '../../../../test/support/storage-tools.js';
import { tempDir } from '../../../../test/support/temp-dir.js';
import { verifies } from '../../../../test/support/verifies.js';
import {
  askToPair,
  claimPairing,
  decidePairing,
  endPairing,
  issuePairing,
  MAX_TRIES,
  pairingState,
} from './pairing.js';

const PHONE = { name: 'Safari on iPhone', address: '100.64.1.2', origin: 'https://laptop.ts.net' };

async function pairingWorld() {
  const dir = await tempDir();
  const clock = new FakeClock({ now: '2026-11-16T12:00:00.000Z' });
  const place = { tools: { ...storageTools(), clock }, directory: dir.at('web') };
  return { place, clock, dir, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

describe('pairing', () => {
  it('lets a device in that gave the code and was confirmed, once', async () => {
    await using there = await pairingWorld();
    const { place } = there;
    const { id, code } = issuePairing(place, 'answer');
    expect([code, pairingState(place, id)]).toEqual([
      expect.stringMatching(/^[2-9A-HJ-NP-Z]{8}$/),
      { name: 'waits' },
    ]);
    const typed = ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `;
    const asked = askToPair(place, typed, PHONE);
    const { ticket, check } = asked ?? { ticket: '', check: '' };
    expect(pairingState(place, id)).toMatchObject({ name: 'asked', request: { ...PHONE, check } });
    expect(claimPairing(place, ticket, PHONE.origin)).toEqual({ name: 'waits' });
    decidePairing(place, id, true);
    expect(claimPairing(place, ticket, 'https://elsewhere.example')).toBeUndefined();
    expect(claimPairing(place, 'another ticket', PHONE.origin)).toBeUndefined();
    expect(claimPairing(place, ticket, PHONE.origin)).toEqual({
      name: 'paired',
      can: 'answer',
      device: PHONE.name,
    });
    expect([claimPairing(place, ticket, PHONE.origin), pairingState(place, id)]).toEqual([
      undefined,
      { name: 'claimed' },
    ]);
  });

  verifies('W03', 'a pairing code counts for five tries, however many come at once, and once', async () => {
    await using there = await pairingWorld();
    const { place } = there;
    const { id, code } = issuePairing(place, 'steer');
    for (let tries = 0; tries < MAX_TRIES; tries += 1)
      expect(askToPair(place, 'AAAAAAAA', PHONE)).toBeUndefined();
    expect(askToPair(place, code, PHONE)).toBeUndefined();
    expect(pairingState(place, id)).toEqual({ name: 'over', why: 'tried too often' });
    const again = issuePairing(place, 'steer');
    expect(askToPair(place, again.code, PHONE)).toBeDefined();
    expect(askToPair(place, again.code, { ...PHONE, name: 'somebody else' })).toBeUndefined();
    expect(pairingState(place, again.id)).toMatchObject({ request: { name: PHONE.name } });
  });

  it('is over after two minutes, when ended, and when a newer one replaces it', async () => {
    await using there = await pairingWorld();
    const { place, clock } = there;
    const first = issuePairing(place, 'view');
    const second = issuePairing(place, 'view');
    expect(pairingState(place, first.id)).toEqual({ name: 'over', why: 'replaced' });
    expect(askToPair(place, first.code, PHONE)).toBeUndefined();
    await clock.advance(2 * 60_000 + 1);
    expect(askToPair(place, second.code, PHONE)).toBeUndefined();
    expect(pairingState(place, second.id)).toEqual({ name: 'over', why: 'expired' });
    const third = issuePairing(place, 'view');
    endPairing(place, third.id);
    expect(askToPair(place, third.code, PHONE)).toBeUndefined();
  });

  it('is over if the person said no, or yes too late', async () => {
    await using there = await pairingWorld();
    const { place, clock } = there;
    const declined = issuePairing(place, 'view');
    const { ticket } = askToPair(place, declined.code, PHONE) ?? { ticket: '' };
    decidePairing(place, declined.id, false);
    decidePairing(place, declined.id, true);
    endPairing(place, declined.id);
    expect(claimPairing(place, ticket, PHONE.origin)).toEqual({ name: 'declined' });
    const late = issuePairing(place, 'view');
    const given = askToPair(place, late.code, PHONE) ?? { ticket: '' };
    decidePairing(place, late.id, true);
    await clock.advance(2 * 60_000 + 1);
    expect(claimPairing(place, given.ticket, PHONE.origin)).toBeUndefined();
  });

  it('keeps neither the code nor the ticket', async () => {
    await using there = await pairingWorld();
    const { place, dir } = there;
    const { code } = issuePairing(place, 'view');
    const { ticket } = askToPair(place, code, PHONE) ?? { ticket: 'x' };
    const room = join(dir.at('web'), 'pairing');
    const kept = readdirSync(room).map((name) => name + readFileSync(join(room, name), 'utf8'));
    expect(kept.filter((text) => text.includes(code) || text.includes(ticket))).toEqual([]);
  });
});
