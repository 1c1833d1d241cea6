import { describe, expect, it } from 'vitest';
import { overviewRow } from '../../test/support/overview-rows.js';
import type { QuestionView } from '../sessions/question/index.js';
import { withQuestions } from './with-questions.js';

const RUN = '0b54a6e5-4c1e-4b5a-9a2c-0d5c5b1f6e77';

function asked(id: string, session: string, machine?: string): QuestionView {
  return {
    id,
    outcome: { status: 'pending' },
    questions: [{ title: 'Table', prompt: 'Which?', options: [] }],
    createdAt: '2026-05-01T10:00:00.000Z',
    asker: { agent: 'claude', session },
    workingDirectory: '/x',
    isAskerGone: false,
    ...(machine === undefined ? {} : { machine }),
  } as unknown as QuestionView;
}

describe('questions of other machines', () => {
  it('appear in the run of their own machine and in no other, whatever they claim', () => {
    const here = overviewRow({ id: RUN });
    const there = overviewRow({ id: RUN, key: 'there', machine: 'workstation' });
    const rows = withQuestions([here, there], [asked('q1', RUN, 'workstation'), asked('q2', RUN, 'eve')]);
    expect(rows.map(({ key, group, machine, question }) => [key, group, machine, question?.id])).toEqual([
      [here.key, 'works', undefined, undefined],
      ['there', 'asks', 'workstation', 'q1'],
      ['question:q2', 'asks', 'eve', 'q2'],
    ]);
    expect(withQuestions([here, there], [asked('q3', RUN)])[0]?.question?.id).toBe('q3');
  });
});
