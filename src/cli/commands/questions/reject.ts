import { rejectQuestions } from '../../../sessions/question/index.js';
import { defineCommand } from '../../command.js';
import { answer } from './answer.js';

const shared = {
  operation: rejectQuestions,
  details: 'The same as `holdfast answer --reject`. Without a session: the one set that is waiting.',
  options: { reason: { type: 'string', value: '<text>', about: 'why it is rejected' } },
  run: (context, { positionals: [session], values }) =>
    answer.run(context, {
      positionals: session === undefined ? [] : [session],
      values: { option: [], text: [], reject: true, resume: false, ...values },
    } as unknown as Parameters<typeof answer.run>[1]),
} satisfies Partial<Parameters<typeof defineCommand>[0]>;

export const reject = defineCommand({
  usage: 'reject [session]',
  ...shared,
  examples: ['holdfast reject 3f2a', 'holdfast reject 3f2a --reason "ask me tomorrow"'],
});

export const questionsReject = defineCommand({
  usage: 'questions reject [session]',
  ...shared,
  examples: ['holdfast questions reject 3f2a --reason "ask me tomorrow"'],
});
