import { journalOf } from '../../../app/overview/open-overview.js';
import { lookForRun } from '../../../app/run/run-place.js';
import { visibleJson } from '../../../foundation/index.js';
import { type LocatedRun, type RunLogs, readRunLog } from '../../../overview/index.js';
import { type JournalEntry, JournalReader } from '../../../run/index.js';
import { runDescriber } from '../../../run/journal/describe-run.js';
import { describeWait } from '../../../sessions/loop/index.js';
import { type CommandContext, defineCommand } from '../../command.js';
import { perform } from '../../command-of.js';
import { parseDuration } from '../../duration.js';
import { ExitCode } from '../../exit-codes.js';
import { orElsewhere, tellElsewhere } from '../../remote-run.js';
import { followRun, hasJournal, isRun, NO_JOURNAL } from './follow-run.js';

const logs = defineCommand({
  operation: readRunLog,
  usage: 'logs [run]',
  details:
    'The lines that the run shows in a terminal, with their times; with --json every event, one per line. Without a run:\n' +
    'the one of this project. -f keeps following until the run ends or you press Ctrl+C.',
  options: {
    follow: { type: 'boolean', short: '-f', about: 'keep following until the run ends' },
    since: { type: 'string', value: '<time>', about: 'only what happened within this time, such as 10m' },
  },
  examples: ['holdfast logs', 'holdfast logs 3f2a -f', 'holdfast logs 3f2a --since 10m --json'],
  async run(context, { positionals: [run], values }) {
    const { services } = context;
    const since =
      values.since === undefined
        ? undefined
        : new Date(services.clock.now().getTime() - parseDuration(values.since)).toISOString();
    const told = { since, isFollowed: values.follow };
    return orElsewhere(context, run, () => tellHere(context, run, told), tellElsewhere);
  },
});

export const commands = [logs];

async function tellHere(
  context: CommandContext,
  run: string | undefined,
  { since, isFollowed }: { readonly since: string | undefined; readonly isFollowed: boolean },
): Promise<ExitCode> {
  const place = lookForRun(context.services, run);
  if (!hasJournal(context, place)) {
    context.terminal.note(NO_JOURNAL);
    return ExitCode.done;
  }
  const say = lineWriter(context);
  if (isFollowed) return follow(context, place, (entry) => isSince(entry, since) && say(entry));
  const parts = { logs: logsOf(context) };
  for (const entry of await perform(context, readRunLog, parts, { run: place.sessionId, since })) say(entry);
  return ExitCode.done;
}

function logsOf({ services }: CommandContext): RunLogs {
  return {
    read(run) {
      const { sessionId } = lookForRun(services, run);
      return new JournalReader(journalOf(services, sessionId)).read();
    },
  };
}

function isSince({ at }: JournalEntry, since: string | undefined): boolean {
  return since === undefined || at >= since;
}

/** Ends with the run: when it says that it ended, or when no process runs it. */
export async function follow(
  context: CommandContext,
  place: LocatedRun,
  say: (entry: JournalEntry) => void,
): Promise<ExitCode> {
  const { signal } = context;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const following = followRun(context, place, { onEntry: say, onGone: () => end() });
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted || !isRun(place)) end();
  await ended;
  following.close();
  return signal.aborted ? ExitCode.interrupted : ExitCode.done;
}

/** Writes entries as lines with their times, with the date above each day's first, or as JSON. */
export function lineWriter({ terminal, isJson }: CommandContext): (entry: JournalEntry) => void {
  if (isJson) return ({ seq, at, event }) => terminal.write(visibleJson({ seq, at, ...event }));
  const describe = runDescriber(true);
  let day = '';
  return ({ at, event }) => {
    const time = new Date(at);
    const told =
      event.type === 'waiting' ? [describeWait(event, time)] : describe(event).map(({ text }) => text);
    if (told.length === 0) return;
    const [date, clock] = [dateOf(time), clockOf(time)];
    if (date !== day) terminal.write(`── ${date}`);
    day = date;
    for (const line of told) terminal.write(`${clock}  ${line}`);
  };
}

const two = (number: number) => `${number}`.padStart(2, '0');

function dateOf(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function clockOf(time: Date): string {
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
