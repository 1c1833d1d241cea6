import type { Services } from '../app/base.js';
import { isFleetKnown } from '../app/fleet/fleet-known.js';
import type { FleetElsewhere, LinkState, RemoteRuns } from '../fleet/index.js';
import { formatAge, messageOf, visibleLine } from '../foundation/index.js';
import type { QuestionDesk } from '../sessions/question/index.js';
import type { CommandContext } from './command.js';

/** The questions that a person answers from here: those of this machine and of its fleet, if any. */
export interface OpenQuestions extends AsyncDisposable {
  readonly questions: QuestionDesk;
  /** The other machines and their runs, for an overview; absent if there are none. */
  readonly elsewhere?: FleetElsewhere;
  readonly runs?: RemoteRuns;
  /** Says what of the fleet could not be read. */
  tellTrouble(): void;
}

/**
 * `isQuick`: for prompts and status bars, which must not wait. `isLater`: for a screen, which shows the rows of this machine
 * before the fleet is asked; its link passes on what happened here.
 */
export async function openQuestions(
  { services, terminal }: Pick<CommandContext, 'services' | 'terminal'>,
  { isQuick = false, isLater = false } = {},
): Promise<OpenQuestions> {
  if (!isFleetKnown(services)) return alone(services);
  const { openFleetQuestions } = await import('../app/fleet/open-fleet.js');
  try {
    const timeoutMs = isQuick ? 500 : 5_000;
    const fleet = await openFleetQuestions(services, { isQuick: isQuick || isLater, timeoutMs });
    if (fleet === undefined) return alone(services);
    return {
      questions: fleet.questions,
      elsewhere: fleet.elsewhere,
      runs: fleet.runs,
      tellTrouble() {
        const { trouble } = fleet.elsewhere;
        if (trouble === undefined) return;
        const age =
          trouble.at === undefined
            ? ''
            : ` What is shown of them is ${formatAge(services.clock.now().getTime() - trouble.at.getTime())} old.`;
        terminal.complain(`Other machines are left out: ${visibleLine(trouble.reason)}.${age}`);
      },
      [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
    };
  } catch (error) {
    // Trouble with the fleet must not block the questions of this machine.
    terminal.complain(`Other machines are left out: ${visibleLine(messageOf(error))}`);
    return alone(services);
  }
}

function alone({ questions }: Services): OpenQuestions {
  return { questions, tellTrouble() {}, async [Symbol.asyncDispose]() {} };
}

/** Whether this machine is in a fleet, and no process here keeps it in step. */
export async function isWithoutLink(services: Services): Promise<boolean> {
  if (!isFleetKnown(services)) return false;
  const { isJoined, isLinked } = await import('../app/fleet/open-fleet.js');
  return isJoined(services) && !isLinked(services);
}

/** Keeps this machine in step with its fleet while a command runs; does nothing without a fleet. */
export async function holdLink(
  { services, terminal }: Pick<CommandContext, 'services' | 'terminal'>,
  onState?: (state: LinkState) => void,
): Promise<AsyncDisposable | undefined> {
  if (!isFleetKnown(services)) return undefined;
  const { holdFleetLink } = await import('../app/fleet/open-fleet.js');
  try {
    return holdFleetLink(services, onState);
  } catch (error) {
    terminal.complain(`The fleet is left out: ${visibleLine(messageOf(error))}`);
    return undefined;
  }
}
