import { isFleetKnown } from '../app/fleet/fleet-known.js';
import type { RemoteRequest, RemoteRun, RemoteRuns, SteeredElsewhere } from '../fleet/index.js';
import { isHoldfastError, messageOf, visibleJson, visibleLine } from '../foundation/index.js';
import { RunElsewhereError } from '../overview/index.js';
import type { Command, CommandContext } from './command.js';
import { ExitCode } from './exit-codes.js';
import { openQuestions } from './fleet.js';

/** What was typed, as passed to a command. */
type Args = Parameters<Command['run']>[1];

/** What to do with a run of another machine. */
type Doing = (found: { readonly run: RemoteRun; readonly runs: RemoteRuns }) => Promise<ExitCode>;

/**
 * The same command for runs of other machines. Runs here come first; only a run that is not here is looked up there. `asked` is
 * the request sent to its home.
 */
export function alsoElsewhere(
  command: Command,
  asked: (args: Args) => { readonly run: string | undefined; readonly request: () => RemoteRequest },
): Command {
  return {
    ...command,
    async run(context, args) {
      const { run: typed, request } = asked(args);
      return orElsewhere(
        context,
        typed,
        () => command.run(context, args),
        async ({ run, runs }) => {
          const steered = await runs.steer(run, request());
          context.terminal.write(context.isJson ? visibleJson(steered) : steeredWords(steered));
          return ExitCode.done;
        },
      );
    },
  };
}

/** Does something with a run of this machine or, if there is none here, with one of another. Throws as both. */
export async function orElsewhere(
  context: CommandContext,
  typed: string | undefined,
  here: () => Promise<ExitCode>,
  there: Doing,
): Promise<ExitCode> {
  try {
    return await here();
  } catch (error) {
    if (typed === undefined || !isMissing(error) || !isFleetKnown(context.services)) throw error;
    await using open = await openQuestions(context);
    const { runs } = open;
    const run = runs && (await found(context, runs, typed));
    if (runs === undefined || run === undefined) throw error;
    return await there({ run, runs });
  }
}

/** For data that is not mirrored: says where it is. */
export const tellElsewhere: Doing = async ({ run: { row, machine } }) => {
  throw new RunElsewhereError(row.id, machine);
};

/** The same for the report of a run. */
export const tellReportElsewhere: Doing = async ({ run: { row, machine } }) => {
  throw new RunElsewhereError(row.id, machine, 'report');
};

function isMissing(error: unknown): boolean {
  return isHoldfastError(error) && MISSING.includes(error.code);
}

/** Errors that mean no project here has such a run; the current project reports it in its own words. */
const MISSING: readonly string[] = ['RUN_NOT_FOUND', 'LOOP_NOT_FOUND', 'SESSION_NOT_FOUND'];

/** What became of a request, and how to take it back if it has not arrived. */
export function steeredWords({ is, words, request }: SteeredElsewhere): string {
  if (is === 'arrived') return words;
  return `${words} \`holdfast fleet status\` shows when it has; take it back with: holdfast fleet take-back ${request.slice(0, 8)}`;
}

/** Finds a run on another machine. An unreachable hub is reported, and the run then counts as not found. */
async function found(
  { terminal }: CommandContext,
  runs: RemoteRuns,
  typed: string,
): Promise<RemoteRun | undefined> {
  try {
    return await runs.find(typed);
  } catch (error) {
    if (!isHoldfastError(error) || !error.code.startsWith('FLEET_')) throw error;
    terminal.complain(`Other machines are left out: ${visibleLine(messageOf(error))}`);
    return undefined;
  }
}
