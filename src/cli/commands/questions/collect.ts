import { visibleJson } from '../../../foundation/index.js';
import { type Delivery, reportOf } from '../../../sessions/question/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { parseDuration } from '../../duration.js';
import { ExitCode } from '../../exit-codes.js';
import { renderOutcome } from '../../render/questions.js';
import { exitCodeOfOutcome } from './ask.js';

const collect = defineCommand({
  usage: 'questions collect [session]',
  summary: 'Fetch answers that have arrived',
  details:
    'With a session: its outcome, the same however often it is collected. Without: every outcome that nobody has\n' +
    'collected yet. An outcome counts as collected once it was printed.',
  options: {
    wait: { type: 'boolean', about: 'wait until there is an outcome' },
    timeout: { type: 'string', value: '<duration>', about: 'with --wait: how long to wait' },
  },
  examples: ['holdfast questions collect', 'holdfast questions collect 3f2a --wait --timeout 10m --json'],
  async run(context, { positionals: [session], values }) {
    const { services, terminal, signal, isJson } = context;
    if (session === undefined) {
      if (values.wait) throw new UsageError('--wait needs a session');
      return collectNew(context);
    }
    const id = services.questions.resolve(session);
    const patienceMs = values.timeout === undefined ? 0 : parseDuration(values.timeout);
    if (values.wait) await services.questions.wait(id, { signal, patienceMs });
    using delivery = await services.questions.collect(id);
    await terminal.deliver(isJson ? visibleJson(toJson(delivery)) : toText(delivery));
    delivery.confirm();
    return exitCodeOfOutcome(delivery.outcome.status);
  },
});

export default collect;

export const wait = defineCommand({
  usage: 'questions wait <session>',
  summary: 'Wait for the outcome of a question set',
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

async function collectNew({ services, terminal, isJson }: CommandContext): Promise<ExitCode> {
  let count = 0;
  for (const view of await services.questions.list()) {
    if (view.outcome.status === 'pending' || view.collectedAt !== null) continue;
    using delivery = await services.questions.collect(view.id);
    if (!delivery.isNew) continue;
    await terminal.deliver(isJson ? visibleJson(toJson(delivery)) : toText(delivery));
    delivery.confirm();
    count += 1;
  }
  if (count === 0) terminal.note('Nothing new.');
  return ExitCode.done;
}

function toJson(delivery: Delivery): object {
  return { isNew: delivery.isNew, ...reportOf(delivery.view) };
}

function toText(delivery: Delivery): string {
  const report = reportOf(delivery.view);
  return `[Session: ${report.sessionId} | Status: ${report.status}]\n\n${renderOutcome(report) || 'No answers yet.'}`;
}
