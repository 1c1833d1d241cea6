import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readBy } from '../../../test/support/records.js';
import { RecordFault } from '../../foundation/index.js';
import { CreateInput, checkAnswerInput, checkCreateInput } from './check-input.js';
import { questionLifecycle } from './lifecycle.js';
import { AnswerInput, AnswersFile, RequestFile, StatusFile } from './schema.js';

const ID = '3f2a1b4c-5d6e-4f70-8a9b-0c1d2e3f4a5b';

const strange = fc.oneof(
  fc.constantFrom(undefined, null, true, 0, -1, 1.5, Number.NaN, '', 'pending', 'in-progress', ID),
  fc.constantFrom('2026-02-30T10:00:00.000Z', '2026-11-15T10:00:00.000Z', '2026-11-15T24:00:00.000Z'),
  fc.constantFrom('2026-11-15T10:00:00+02:00', '2024-02-29T10:00:00.000Z', '+026-11-15T10:00:00.000Z'),
  fc.constantFrom([], {}, [{}], { label: 'a' }, [{ prompt: 'p', title: 't', options: [{ label: 1 }] }]),
  fc.anything(),
);

/** A file as we write it, with some keys spoiled, removed or added. */
function spoiled(file: Readonly<Record<string, unknown>>) {
  const keys = fc.constantFrom(...Object.keys(file), 'callId', 'late', 'asker', 'askerProcess', 'unknown');
  const changes = fc.array(fc.tuple(keys, strange, fc.boolean()), { maxLength: 3 });
  return changes.map((list) => {
    const changed: Record<string, unknown> = { ...file };
    for (const [key, value, isTaken] of list) {
      if (isTaken) delete changed[key];
      else changed[key] = value;
    }
    return changed;
  });
}

const REQUEST = {
  sessionId: ID,
  questions: [
    {
      prompt: 'Now?',
      title: 'Deploy',
      options: [{ label: 'Yes', description: 'at once' }, { label: 'No' }],
      multiSelect: false,
    },
  ],
  status: 'pending',
  timestamp: '2026-11-15T10:00:00.000Z',
  workingDirectory: '/project',
  version: 1,
  expiresAt: '2026-11-15T11:00:00.000Z',
  asker: { agent: 'claude' },
};
const STATUS = {
  sessionId: ID,
  status: 'pending',
  createdAt: '2026-11-15T10:00:00.000Z',
  lastModified: '2026-11-15T10:00:00.000Z',
  totalQuestions: 1,
  rejectionReason: null,
  version: 1,
  askerProcess: { pid: 7, startTime: '12', bootId: 'b', pidNamespace: null, host: 'h' },
};

const ANSWERS = {
  sessionId: ID,
  answers: [{ questionIndex: 0, selectedOption: 'Yes', timestamp: '2026-11-15T10:00:00.000Z' }],
  timestamp: '2026-11-15T10:00:00.000Z',
  version: 1,
};
const SET = {
  questions: [{ prompt: 'Now?', title: 'Deploy', options: [{ label: 'Yes' }, { label: 'No' }] }],
  workingDirectory: '/project',
  asker: { agent: 'holdfast ask' },
  isWaiting: false,
};

/** The same files as judged by a third-party library. */
const Time = z.iso.datetime({ offset: true });
const Asker = z.looseObject({
  agent: z.string().optional(),
  version: z.string().optional(),
  session: z.string().optional(),
  asks: z.string().optional(),
});
const RequestSchema = z.looseObject({
  sessionId: z.uuidv4(),
  questions: z
    .array(
      z.looseObject({
        prompt: z.string(),
        title: z.string(),
        options: z.array(z.looseObject({ label: z.string(), description: z.string().optional() })),
        multiSelect: z.boolean().optional(),
      }),
    )
    .min(1),
  status: z.string(),
  timestamp: Time,
  callId: z.string().optional(),
  workingDirectory: z.string().optional(),
  version: z.int().optional(),
  expiresAt: Time.optional(),
  requestId: z.string().optional(),
  asker: Asker.optional(),
});
const UNDECIDED = ['in-progress', 'elaborate_requested', 'rephrase_requested'] as const;
const StatusSchema = z.looseObject({
  sessionId: z.uuidv4(),
  status: z
    .enum([...questionLifecycle.states, ...UNDECIDED])
    .transform((status) => ((UNDECIDED as readonly string[]).includes(status) ? 'pending' : status)),
  createdAt: Time,
  lastModified: Time,
  totalQuestions: z.int().nonnegative(),
  callId: z.string().optional(),
  rejectionReason: z.string().nullish(),
  version: z.int().optional(),
  late: z.boolean().optional(),
  askerProcess: z
    .looseObject({
      pid: z.int().positive(),
      startTime: z.string().nullable(),
      bootId: z.string().nullable(),
      pidNamespace: z.string().nullable(),
      timeNamespace: z.string().nullable().optional(),
      host: z.string(),
    })
    .optional(),
});
const AnswersSchema = z.looseObject({
  sessionId: z.uuidv4(),
  answers: z.array(
    z.looseObject({
      questionIndex: z.int().nonnegative(),
      selectedOption: z.string().optional(),
      selectedOptions: z.array(z.string()).optional(),
      customText: z.string().optional(),
      timestamp: Time,
    }),
  ),
  timestamp: Time,
  callId: z.string().optional(),
  version: z.int().optional(),
  late: z.boolean().optional(),
});

describe('the record codec', () => {
  it.each([
    ['request.json', REQUEST, RequestFile, RequestSchema],
    ['status.json', STATUS, StatusFile, StatusSchema],
    ['answers.json', ANSWERS, AnswersFile, AnswersSchema],
  ] as const)('says of %s what a schema would say', (_name, file, codec, schema) => {
    fc.assert(
      fc.property(spoiled(file), (value) => {
        const expected = schema.safeParse(value);
        const seen = readBy<unknown>(codec, value);
        expect(!(seen instanceof RecordFault)).toBe(expected.success);
        if (expected.success) expect(seen).toEqual(expected.data);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the check of an input', () => {
  const accepts = (act: () => unknown) => {
    try {
      return { data: act() };
    } catch {
      return { data: null }; // refused, with wording that other tests check
    }
  };

  it('agrees with the schema of a question set', () => {
    fc.assert(
      fc.property(spoiled(SET), (value) => {
        const expected = CreateInput.safeParse(value);
        expect(accepts(() => checkCreateInput(value))).toEqual({ data: expected.data ?? null });
      }),
      { numRuns: 1_000 },
    );
  });

  it('agrees with the schema of an answer', () => {
    const plain = { questionIndex: 0, selectedOption: 'Yes', selectedOptions: ['a'], customText: 'b' };
    fc.assert(
      fc.property(fc.array(spoiled(plain), { maxLength: 3 }), (answers) => {
        const expected = z.array(AnswerInput).safeParse(answers);
        expect(accepts(() => checkAnswerInput(answers))).toEqual({ data: expected.data ?? null });
      }),
    );
  });
});
