import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/support/verifies.js';
import type { AgentEvent } from './events.js';
import { type ServiceName, ServiceNotes, serviceNameOf, serviceTroubleOf } from './service-errors.js';

interface Becomes {
  readonly kind: string;
  readonly resetsAt?: string | null;
}

interface RecordedCase {
  readonly case: string;
  readonly at: string;
  readonly failure: string | null;
  readonly events: readonly AgentEvent[];
  readonly becomes: Becomes | null;
}

interface KnownText {
  readonly agent: ServiceName;
  readonly said: string;
  readonly status?: number;
  readonly at: string;
  readonly becomes: Becomes | null;
}

const DIRECTORY = fileURLToPath(new URL('../../test/fixtures/agent-limits', import.meta.url));
const SOON_MS = 100_000;
const MINUTE_MS = 60_000;

function fixture<Content>(name: string): Content {
  return JSON.parse(readFileSync(`${DIRECTORY}/${name}`, 'utf8')) as Content;
}

const RECORDED = readdirSync(DIRECTORY)
  .filter((name) => name.endsWith('.json') && name !== 'known-texts.json')
  .map((name) => fixture<{ agent: ServiceName; version: string; cases: RecordedCase[] }>(name));

describe.each(RECORDED)('what $agent $version said when its service did not answer', ({ agent, cases }) => {
  for (const recorded of cases) {
    const { kind = 'a plain failure' } = recorded.becomes ?? {};
    verifies('R11', `${recorded.case} of ${agent} is ${kind}`, () => {
      const notes = new ServiceNotes();
      for (const event of recorded.events) notes.add(event);
      const end = endOf(recorded);
      const now = new Date(recorded.at);
      expectToBecome(notes.trouble({ service: agent, now, zone: 'UTC' }, end), recorded.becomes, now);
    });
  }
});

/** How it ended if no event says so: it did not start, or would have retried forever. */
function endOf({ failure, events }: RecordedCase) {
  if (failure !== null) return { reason: 'not-started', message: failure } as const;
  return events.some(({ type }) => type === 'turn-end')
    ? undefined
    : ({ reason: 'failed', message: null } as const);
}

describe('what the agents and their services are known to say', () => {
  for (const { agent, said, status, at, becomes } of fixture<KnownText[]>('known-texts.json')) {
    verifies('R11', `${agent}: ${said}`, () => {
      const now = new Date(at);
      const trouble = serviceTroubleOf({
        service: agent,
        reason: 'failed',
        words: said,
        status,
        now,
        zone: 'UTC',
      });
      expectToBecome(trouble, becomes, now);
    });
  }
});

function expectToBecome(
  trouble: ReturnType<typeof serviceTroubleOf>,
  becomes: Becomes | null,
  now: Date,
): void {
  if (becomes === null) {
    expect(trouble).toBeUndefined();
    return;
  }
  const { resetsAt, ...rest } = becomes;
  expect(trouble).toMatchObject(rest);
  expect(trouble?.words).not.toBe('');
  if (resetsAt === undefined || trouble?.kind !== 'quota') return;
  if (resetsAt !== 'soon') expect(trouble.resetsAt?.toISOString() ?? null).toBe(resetsAt);
  // The service gave the time to the minute.
  else expect(Math.abs((trouble.resetsAt?.getTime() ?? 0) - now.getTime() - SOON_MS)).toBeLessThan(MINUTE_MS);
}

describe('the notes of an exchange', () => {
  const about = { service: 'claude', now: new Date('2026-11-15T12:00:00Z') } as const;
  const overloaded = { type: 'retry', attempt: 1, delayMs: 9, status: 529, message: 'overloaded' } as const;
  const failed = { type: 'turn-end', reason: 'failed', message: 'it broke' } as const;
  const notesOf = (...events: AgentEvent[]) => {
    const notes = new ServiceNotes();
    for (const event of events) notes.add(event);
    return notes;
  };

  it.each([429, 500, 503, 529])('status %i is overload, whatever the words', (status) => {
    expect(notesOf({ ...overloaded, status }, failed).trouble(about)).toEqual({
      kind: 'overload',
      status,
      retryAt: null,
      words: 'it broke',
    });
  });

  it('forget what the agent recovered from', () => {
    const text = { type: 'text', text: 'I go on.' } as const;
    expect(notesOf(overloaded, text, failed).trouble(about)).toBeUndefined();
  });

  it('know nothing of an exchange that was answered, cancelled or refused', () => {
    for (const reason of ['completed', 'cancelled', 'refused', 'turn-limit', 'context-overflow'] as const)
      expect(notesOf(overloaded, { ...failed, reason }).trouble(about)).toBeUndefined();
  });

  it('a warning is not a limit', () => {
    const warning = {
      type: 'rate-limit',
      status: 'warning',
      resetsAt: '2026-11-15T13:00:00Z',
      message: 'x',
    } as const;
    expect(notesOf(warning, failed).trouble(about)).toBeUndefined();
  });

  it('a limit without further details is a quota', () => {
    expect(notesOf({ ...failed, reason: 'rate-limited' }).trouble(about)).toEqual({
      kind: 'quota',
      resetsAt: null,
      scope: null,
      words: 'it broke',
    });
  });

  it('what an administrator has switched off does not come back with the allowance', () => {
    const limit = {
      type: 'rate-limit',
      status: 'rejected',
      resetsAt: '2026-11-15T13:00:00Z',
      message: 'x',
    } as const;
    const end = { ...failed, message: 'Allocation disabled by your admin' };
    expect(notesOf(limit, end).trouble(about)).toMatchObject({ kind: 'hopeless', cause: 'disabled' });
  });

  it('what a program printed before it died is not mistaken for an answer of its service', () => {
    const died = (message: string) => notesOf({ ...failed, reason: 'died', message }).trouble(about);
    expect(died('exited with 1\nTypeError: model "x" not found in cache')).toBeUndefined();
    expect(died('exited with 1\nNot logged in. Please run /login')).toMatchObject({ cause: 'login' });
  });
});

it.each([
  [{ driver: 'claude' }, 'claude'],
  [{ driver: 'acp', preset: 'codex-acp' }, 'codex'],
  [{ driver: 'acp', preset: 'opencode' }, 'opencode'],
  [{ driver: 'acp' }, 'other'],
  [{ driver: 'line' }, 'other'],
] as const)('the service of %o is %s', (agent, name) => {
  expect(serviceNameOf(agent)).toBe(name);
});
