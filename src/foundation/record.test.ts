import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { HOSTILE_NUMBERS, withHostileNumbers } from '../../test/support/hostile-numbers.js';
import { readBy, writtenBy } from '../../test/support/records.js';
import {
  anything,
  type Codec,
  count,
  flag,
  lenient,
  listOf,
  mapOf,
  named,
  nullable,
  nullIfAbsent,
  number,
  object,
  oneOf,
  optional,
  pairOf,
  RecordFault,
  record,
  text,
  time,
  type ValueOf,
  whole,
  withDefault,
} from './record.js';

const Step = record({ startedAt: named('started_at', time), tries: count });
const Sample = record({
  sessionId: named('session_id', text),
  state: oneOf(['open', 'closed']),
  isDone: named(
    'is_done',
    withDefault(flag, () => false),
  ),
  steps: listOf(Step),
  byName: named(
    'by_name',
    withDefault(mapOf(nullable(Step)), () => ({})),
  ),
  share: optional(number(0, 100)),
  minutes: withDefault(listOf(pairOf(time, count)), () => []),
  endedAt: named('ended_at', nullIfAbsent(time)),
  numbers: optional(object),
  cause: lenient(text, 'none'),
});
type Sample = ValueOf<typeof Sample>;

const AT = '2026-11-15T10:00:00.000Z';
const DISK = {
  session_id: 's',
  state: 'open',
  is_done: true,
  steps: [{ started_at: AT, tries: 1 }],
  by_name: { RED: { started_at: AT, tries: 2 }, GREEN: null },
  share: 50,
  minutes: [[AT, 3]],
  ended_at: AT,
  numbers: { tests_total: 4, startedAt: 5 },
  cause: 'why',
};
const VALUE: Sample = {
  sessionId: 's',
  state: 'open',
  isDone: true,
  steps: [{ startedAt: AT, tries: 1 }],
  byName: { RED: { startedAt: AT, tries: 2 }, GREEN: null },
  share: 50,
  minutes: [[AT, 3]],
  endedAt: AT,
  numbers: { tests_total: 4, startedAt: 5 },
  cause: 'why',
};

describe('a record', () => {
  it('is spelled in one way on disk and in another in code, at every depth', () => {
    expect(Sample.fromDisk(DISK)).toEqual(VALUE);
    expect(Sample.toDisk(VALUE)).toEqual(DISK);
  });

  it('is written in the order of its declaration, foreign keys last', () => {
    const { session_id, state, steps, ...rest } = DISK;
    const written = Sample.toDisk(Sample.fromDisk({ foreign: 1, ...rest, steps, state, session_id }));
    expect(Object.keys(written as object)).toEqual([...Object.keys(DISK), 'foreign']);
  });

  it('uses its defaults where the file has no value, and invents nothing else', () => {
    expect(Sample.fromDisk({ session_id: 's', state: 'closed', steps: [] })).toEqual({
      sessionId: 's',
      state: 'closed',
      isDone: false,
      steps: [],
      byName: {},
      minutes: [],
      endedAt: null,
      cause: 'none',
    });
  });

  it('gives every reader its own copy of a default', () => {
    const least = { session_id: 's', state: 'closed', steps: [] };
    Sample.fromDisk(least).minutes.push([AT, 1]);
    expect(Sample.fromDisk(least).minutes).toEqual([]);
  });

  it.each([
    ['the document: it is not an object', null],
    ['the document: it is not an object', [DISK]],
    ['the document: it is not an object', 'text'],
    ['session_id: missing', { ...DISK, session_id: undefined }],
    ['session_id: not text', { ...DISK, session_id: 1 }],
    ['state: Invalid option: expected one of "open"|"closed"', { ...DISK, state: 'ajar' }],
    ['is_done: not true or false', { ...DISK, is_done: null }],
    ['steps: not an array', { ...DISK, steps: {} }],
    ['steps.1: it is not an object', { ...DISK, steps: [...DISK.steps, 7] }],
    ['steps.0.tries: not a whole number of 0 or more', { ...DISK, steps: [{ started_at: AT, tries: -1 }] }],
    ['steps.0.started_at: not a time', { ...DISK, steps: [{ started_at: 'now', tries: 1 }] }],
    ['by_name.RED.started_at: missing', { ...DISK, by_name: { RED: { tries: 1 } } }],
    ['share: not a number from 0 to 100', { ...DISK, share: 101 }],
    ['minutes.0: not a pair', { ...DISK, minutes: [[AT]] }],
    ['minutes.0.1: not a whole number of 0 or more', { ...DISK, minutes: [[AT, 1.5]] }],
    ['ended_at: not a time', { ...DISK, ended_at: '2026-02-30T10:00:00Z' }],
    ['numbers: it is not an object', { ...DISK, numbers: [] }],
  ])('is refused with the place and the reason: %s', (message, value) => {
    expect(readBy<unknown>(Sample, value)).toMatchObject({ message });
  });

  it('is not refused because of a value that counts only if usable', () => {
    expect(Sample.fromDisk({ ...DISK, cause: 7 }).cause).toBe('none');
  });
});

describe('undeclared keys', () => {
  const foreign = {
    note: { deep: [1, { startedAt: 'x' }] },
    // Spelled like one of our names in code.
    sessionId: 'theirs',
    isDone: 'theirs',
    '~sessionId': 'odd',
    hasOwnProperty: 1,
    constructor: 'text',
  };
  const disk = {
    ...DISK,
    ...foreign,
    steps: [{ ...DISK.steps[0], startedAt: 'theirs', mine: 1 }],
    by_name: { RED: { ...DISK.by_name.RED, startedAt: 'theirs' } },
  };

  it('come back unchanged, never renamed and never in the place of another key', () => {
    const value = Sample.fromDisk(disk);
    expect([value.sessionId, value.isDone, value.steps[0]?.startedAt]).toEqual(['s', true, AT]);
    expect(Sample.toDisk(value)).toEqual(disk);
  });

  it('survive a change of the keys beside them', () => {
    const value = Sample.fromDisk(disk);
    const changed = { ...value, sessionId: 't', steps: value.steps.map((step) => ({ ...step, tries: 9 })) };
    expect(Sample.toDisk(changed)).toEqual({
      ...disk,
      session_id: 't',
      steps: [{ ...disk.steps[0], tries: 9 }],
    });
  });

  it('do not take the place of ours on disk', () => {
    expect(Sample.toDisk({ ...VALUE, session_id: 'evil' } as Sample)).toEqual(DISK);
  });

  it('are kept, whatever they are, through any number of round trips', () => {
    const names = fc.oneof(fc.string(), fc.constantFrom(...Object.keys(VALUE), ...Object.keys(foreign)));
    const keys = names.filter((name) => name !== '__proto__'); // `__proto__` is left out, see below
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), (more) => {
        const given = JSON.parse(JSON.stringify({ ...more, ...DISK }));
        const once = Sample.toDisk(Sample.fromDisk(given));
        expect(once).toEqual(given);
        expect(Sample.toDisk(Sample.fromDisk(JSON.parse(JSON.stringify(once))))).toEqual(given);
      }),
    );
  });

  it('do not change the prototype of anything', () => {
    const evil = JSON.parse('{"__proto__":{"evil":true},"by_name":{"__proto__":{"evil":true}}}');
    const value = Sample.fromDisk({ ...DISK, ...evil, by_name: evil.by_name });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(Sample.toDisk(value))).not.toContain('evil');
  });

  it('are dropped or refused if the record says so', () => {
    const keys = { id: text };
    expect(record(keys, 'drop').fromDisk({ id: 'a', more: 1 })).toEqual({ id: 'a' });
    expect(record(keys, 'drop').toDisk({ id: 'a', more: 1 } as { id: string })).toEqual({ id: 'a' });
    expect(readBy(record(keys, 'refuse'), { id: 'a', more: 1 })).toMatchObject({
      reason: 'unknown key "more"',
    });
  });
});

describe('nothing is written that could not be read', () => {
  const isRead = (codec: Codec<unknown>, written: unknown) =>
    written instanceof RecordFault ||
    !(readBy(codec, JSON.parse(JSON.stringify(written))) instanceof RecordFault);

  it('with a hostile number in place of any number', () => {
    for (const { hostile } of withHostileNumbers(VALUE))
      expect(isRead(Sample, writtenBy(Sample, hostile))).toBe(true);
    for (const evil of HOSTILE_NUMBERS.filter((one) => !Number.isInteger(one)))
      expect(
        writtenBy(Sample, { ...VALUE, steps: [{ startedAt: AT, tries: evil as number }] }),
      ).toMatchObject({
        path: ['steps', 0, 'tries'],
      });
  });

  it('with anything in any place', () => {
    const names = Object.keys(VALUE) as (keyof Sample)[];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.anything({ withDate: true, withMap: true }), (name, evil) => {
        const value = { ...VALUE, [name]: evil } as Sample;
        expect(isRead(Sample, writtenBy(Sample, value))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('with something that would be stored as something else', () => {
    expect(writtenBy(Sample, { ...VALUE, toJSON: () => 'something else' } as Sample)).toBeInstanceOf(
      RecordFault,
    );
    expect(writtenBy(Sample, { ...VALUE, numbers: new Date() as never })).toBeInstanceOf(RecordFault);
  });
});

describe('a time', () => {
  const schema = z.iso.datetime({ offset: true });
  const part = (max: number) => fc.integer({ min: 0, max }).map((one) => String(one).padStart(2, '0'));
  const times = fc
    .tuple(fc.integer({ min: 0, max: 9999 }), part(13), part(32), part(25), part(61), part(61))
    .map(([year, month, day, hour, minute, second]) => {
      return `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`;
    });
  const ends = fc.constantFrom('Z', '.5Z', '.123456+00:00', '+02:00', '-23:59', '+24:00', '+0200', '', 'z');

  it('is what a schema accepts as one', () => {
    fc.assert(
      fc.property(times, ends, (start, end) => {
        const value = `${start}${end}`;
        expect([value, time.is(value)]).toEqual([value, schema.safeParse(value).success]);
      }),
      { numRuns: 500 },
    );
    for (const value of [
      '2024-02-29T10:00Z',
      '2023-02-29T10:00Z',
      '0000-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
    ])
      expect([value, time.is(value)]).toEqual([value, schema.safeParse(value).success]);
  });
});

it('a number has the bounds it was given, and counts exactly', () => {
  expect([whole(), whole(1), whole(1, 5), count].map(({ is }) => [0, 1, 6, -1, 2 ** 53].map(is))).toEqual([
    [true, true, true, true, false],
    [false, true, true, false, false],
    [false, true, false, false, false],
    [true, true, true, false, false],
  ]);
  expect(record({ any: anything }).fromDisk({ any: [1] })).toEqual({ any: [1] });
});
