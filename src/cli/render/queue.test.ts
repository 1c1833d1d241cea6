import { describe, expect, it } from 'vitest';
import { entry } from '../../../test/support/queue-entries.js';
import type { EntryView } from '../../queue/index.js';
import type { Style } from '../terminal.js';
import { momentWords, renderQueue, whyOf } from './queue.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const moment = (iso: string) => momentWords(iso, NOW);
const PLAIN = new Proxy({} as Style, { get: () => (text: string) => text });
const QUESTION = '1db7e625-0000-4000-8000-000000000000';
const RUNNING = { is: 'running', isAbandoned: false } as const;
const worker = { pid: 7, host: 'here', since: NOW.toISOString() };

const FLEET = {
  by: 'ann',
  from: 'laptop',
  isFromHere: true,
  repository: 'https://git.lan/team/project.git',
  labels: [],
  machine: 'laptop',
  epoch: 1,
  obstacle: null,
};

function view(overrides: Partial<EntryView>): EntryView {
  return { ...entry({ status: 'running', worker }), standing: RUNNING, planNote: null, ...overrides };
}

describe('why an entry stands as it does', () => {
  it.each([
    ['one at work', view({}), 'process 7 watches it'],
    [
      'one that waits for a person',
      view({ runWait: { reason: 'your answer', until: null, question: QUESTION } }),
      'waiting for an answer: holdfast answer 1db7e625',
    ],
    [
      'one that rests',
      view({ runWait: { reason: 'requested', until: null, question: null } }),
      'waiting: requested',
    ],
    [
      'one that failed, and about which somebody is asked',
      view({ status: 'failed', standing: { is: 'failed', reason: 'it broke' }, question: QUESTION }),
      'it broke; holdfast answer 1db7e625',
    ],
  ])('%s', (_, given, words) => {
    expect(whyOf(given, moment)).toBe(words);
  });

  it.each([
    ['gave a sign just now', 300, 15, 'on laptop'],
    ['missed two renewals', 300, 45, 'on laptop: no sign for 0:45, will be taken over in 4:15'],
    [
      'missed two renewals of a short lease',
      30,
      12,
      'on laptop: no sign for 0:12, will be taken over in 0:18',
    ],
    ['gave a sign just now under a short lease', 30, 3, 'on laptop'],
  ])('one of the fleet whose machine %s', (_, leaseSeconds, quietSeconds, words) => {
    const lease = { quietSeconds, endsInSeconds: leaseSeconds - quietSeconds };
    expect(whyOf(view({ worker: null, fleet: { ...FLEET, lease } }), moment)).toBe(words);
  });

  it('shows an entry as left, not as running, when its worker is gone', () => {
    const abandoned = view({ standing: { is: 'running', isAbandoned: true } });
    const text = renderQueue({ entries: [abandoned], pausedAt: null, damaged: [] }, NOW, PLAIN);
    expect(text).toMatch(/ {2}left {2}.* {2}its worker is gone; the next worker continues it$/);
  });

  it('says until when a run is waiting for a limit', () => {
    const runWait = { reason: 'the limit is used up', until: '2026-03-01T13:30:00.000Z', question: null };
    expect(whyOf(view({ runWait }), moment)).toMatch(/^waiting until [-\d: ]+: the limit is used up$/);
  });
});
