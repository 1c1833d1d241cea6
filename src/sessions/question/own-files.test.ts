import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { CreateInput, PlainAnswerInput, PlainCreateInput } from './check-input.js';
import { OwnAnswersFile, OwnRequestFile, OwnStatusFile } from './own-files.js';
import { AnswerInput, AnswersFile, RequestFile, StatusFile } from './schema.js';

const ID = '3f2a1b4c-5d6e-4f70-8a9b-0c1d2e3f4a5b';
const ONCE = { jitless: true };

const strange = fc.oneof(
  fc.constantFrom(undefined, null, true, 0, -1, 1.5, Number.NaN, '', 'pending', 'in-progress', ID),
  fc.constantFrom('2026-02-30T10:00:00.000Z', '2026-11-15T10:00:00.000Z', '2026-11-15T24:00:00.000Z'),
  fc.constantFrom('2026-11-15T10:00:00+02:00', '2024-02-29T10:00:00.000Z', '+026-11-15T10:00:00.000Z'),
  fc.constantFrom([], {}, [{}], { label: 'a' }, [{ prompt: 'p', title: 't', options: [{ label: 1 }] }]),
  fc.anything(),
);

/** A file as we write it, with some keys spoiled, taken away or added. */
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
  answeredBy: 'holdfast answer',
};
const SET = {
  questions: [{ prompt: 'Now?', title: 'Deploy', options: [{ label: 'Yes' }, { label: 'No' }] }],
  workingDirectory: '/project',
  asker: { agent: 'holdfast ask' },
  isWaiting: false,
};

describe('the short way around a schema', () => {
  it.each([
    ['request.json', REQUEST, OwnRequestFile, RequestFile],
    ['status.json', STATUS, OwnStatusFile, StatusFile],
    ['answers.json', ANSWERS, OwnAnswersFile, AnswersFile],
    ['a question set', SET, PlainCreateInput, CreateInput],
  ] as const)('says of %s what the schema says', (_name, file, own, schema) => {
    fc.assert(
      fc.property(spoiled(file), (value) => {
        const expected = schema.safeParse(value);
        const seen = own.safeParse(value, ONCE);
        expect(seen.success).toBe(expected.success);
        if (seen.success) expect(seen.data).toEqual(expected.data);
      }),
      { numRuns: 3_000 },
    );
  });

  it('says of an answer what the schema says', () => {
    const plain = { questionIndex: 0, selectedOption: 'Yes', selectedOptions: ['a'], customText: 'b' };
    fc.assert(
      fc.property(fc.array(spoiled(plain), { maxLength: 3 }), (answers) => {
        const expected = z.array(AnswerInput).safeParse(answers);
        const seen = PlainAnswerInput.safeParse(answers, ONCE);
        expect(seen.success).toBe(expected.success);
        if (seen.success) expect(seen.data).toEqual(expected.data);
      }),
    );
  });

  it.each([
    ['request.json', REQUEST, OwnRequestFile],
    ['status.json', STATUS, OwnStatusFile],
    ['answers.json', ANSWERS, OwnAnswersFile],
    ['a question set', SET, PlainCreateInput],
  ] as const)('is taken by %s as it mostly is', (_name, file, own) => {
    const result = own.safeParse(file, ONCE);
    // The schema would have made a new object.
    expect(result.success && result.data).toBe(file);
  });
});
