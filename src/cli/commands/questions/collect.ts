import { visibleJson } from '../../../foundation/index.js';
import {
  collectQuestions,
  type Delivery,
  reportOf,
  waitForQuestions,
} from '../../../sessions/question/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { parseDuration } from '../../duration.js';
import { ExitCode } from '../../exit-codes.js';
import { renderOutcome } from '../../render/questions.js';
import { exitCodeOfOutcome } from './ask.js';

export const collect = defineCommand({
  operation: collectQuestions,
  usage: 'questions collect [session]',
  details:
    'With a session: its outcome, the same however often it is collected. Without: every outcome that nobody has\n' +
    'collected yet. An outcome counts as collected once it was printed.',
  options: {
    wait: { type: 'boolean', about: 'wait until there is an outcome' },
    timeout: { type: 'string', value: '<duration>', about: 'with --wait: how long to wait' },
  },
  examples: ['holdfast questions collect', 'holdfast questions collect 3f2a --wait --timeout 10m --json'],
  async run(context, { positionals: [session], values }) {
    const { services, terminal } = context;
    if (session === undefined) {
      if (values.wait) throw new UsageError('--wait needs a session');
      const outcomes = await print(context, undefined);
      if (outcomes.length === 0) terminal.note('Nothing new.');
      return ExitCode.done;
    }
    const id = services.questions.resolve(session);
    const patienceMs = values.timeout === undefined ? undefined : parseDuration(values.timeout);
    if (values.wait) await perform(context, waitForQuestions, services, { session: id, patienceMs });
    const [outcome] = await print(context, id);
    return outcome === undefined ? ExitCode.done : exitCodeOfOutcome(outcome);
  },
});

export const wait = defineCommand({
  operation: waitForQuestions,
  usage: 'questions wait <session>',
  details: 'The same as `holdfast questions collect --wait`.',
  options: {
    timeout: { type: 'string', value: '<duration>', about: 'how long to wait, such as 10m' },
  },
  examples: ['holdfast questions wait 3f2a', 'holdfast questions wait 3f2a --timeout 10m --json'],
  run: (context, { positionals, values }) =>
    collect.run(context, { positionals, values: { ...values, wait: true } } as unknown as Parameters<
      typeof collect.run
    >[1]),
});

/** Prints the outcomes that have arrived; each counts as collected once printed. Returns them. */
async function print(context: CommandContext, session: string | undefined) {
  const { services, terminal, isJson } = context;
  const statuses: Delivery['outcome']['status'][] = [];
  for await (const arrived of await perform(context, collectQuestions, services, { session })) {
    using delivery = arrived;
    await terminal.deliver(isJson ? visibleJson(toJson(delivery)) : toText(delivery));
    delivery.confirm();
    statuses.push(delivery.outcome.status);
  }
  return statuses;
}

function toJson(delivery: Delivery): object {
  return { isNew: delivery.isNew, ...reportOf(delivery.view) };
}

function toText(delivery: Delivery): string {
  const report = reportOf(delivery.view);
  return `[Session: ${report.sessionId} | Status: ${report.status}]\n\n${renderOutcome(report) || 'No answers yet.'}`;
}
