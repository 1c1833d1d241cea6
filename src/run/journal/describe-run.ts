import { type AgentEvent, describeEvent } from '../../agents/index.js';
import { counted, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import {
  causeOfWait,
  describeMissing,
  describeWait,
  isAboutTests,
  untilOf,
} from '../../sessions/loop/index.js';
import type { RunEvent } from './events.js';

/** A line about a run and the kind of news it is; a view chooses a look for each kind. */
export interface RunLine {
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad' | 'asks';
}

/** Returns the lines to show for each event of one run; most events have none. Each denial is shown once. */
export function runDescriber(isUnattended: boolean): (event: RunEvent) => RunLine[] {
  const denied = new Set<string>();
  let hasStories = false;
  return (event) => {
    if (event.type === 'run-start') hasStories = event.stories !== null;
    if (event.type === 'run-end') return plain(...endLines(event, hasStories));
    if (event.type === 'iteration-start') denied.clear();
    if (event.type === 'agent' && event.event.type === 'permission' && event.event.decision === 'denied')
      denied.add(`${event.event.name}: ${event.event.title}`);
    return describeRunEvent(event, isUnattended, denied);
  };
}

/** What a view shows for one event: lines that stay, and in a few words what the agent is doing. */
export interface EventWords {
  readonly lines: readonly RunLine[];
  readonly doing: string | undefined;
}

/** What a view shows for an event. `describe` gives the lines of the plain view; `isKept` says whether they stay. */
export function eventWords(event: RunEvent, at: Date, { describe, isKept }: WordsOfView): EventWords {
  const doing = event.type === 'agent' ? describeEvent(event.event) : undefined;
  if (event.type !== 'waiting') return { lines: isKept(event) ? describe(event) : [], doing };
  if (event.cause === 'cut-off') return { lines: plain(describeWait(event, at)), doing };
  const { until } = event;
  if (until === null) return { lines: [], doing };
  return { lines: plain(`waiting: ${causeOfWait(event)}, ${untilOf({ ...event, until }, at)}`), doing };
}

export interface WordsOfView {
  readonly describe: (event: RunEvent) => readonly RunLine[];
  readonly isKept: (event: RunEvent) => boolean;
}

/** The lines for one event; the denials in `denied` were shown before. */
export function describeRunEvent(
  event: RunEvent,
  isUnattended: boolean,
  denied: ReadonlySet<string> = new Set(),
): RunLine[] {
  switch (event.type) {
    case 'run-start':
      return plain(
        `run ${event.sessionId.slice(0, 8)} ${event.isResumed ? 'resumed' : 'started'}${byOf(event.actor)}: ${visibleLine(event.plan)} with ${event.agent}`,
        `conversation: ${visibleLine(event.conversation)}`,
      );
    case 'standing':
      return [];
    case 'baseline':
      return plain(`baseline: ${countsOf(event.tests, event.exitCode)}`);
    case 'iteration-start':
      return plain(`${iterationPlace(event)} ${event.iteration}: the agent is working`);
    case 'continuation':
      return event.continuation.how === 'replayed'
        ? plain(
            `  the agent starts a new conversation and is told what was said: ${visibleExcerpt(event.continuation.reason, 160)}`,
          )
        : [];
    case 'agent':
      return agentLine(event.event);
    case 'verify-start':
      return [];
    case 'verify-end':
      return plain(`  ${visibleLine(event.command)}: ${countsOf(event.tests, event.exitCode)}`);
    case 'iteration-end':
      return iterationLines(event, denied);
    case 'phase-skipped':
      return plain(skipLine(event));
    case 'iteration-cut':
      return plain(`  cut short (${event.reason}); its prompt is not sent again`);
    case 'waiting':
      return [];
    case 'question':
      return [{ text: questionLine(event, isUnattended), tone: 'asks' }];
    case 'request':
      return plain(`request: ${event.request.kind}`);
    case 'text-capped':
      return plain(
        `  (the agent has said more than is kept for one ${event.scope}; the rest is left out here)`,
      );
    case 'text-lost':
      return [bad(`  ! ${counted(event.events, 'event')} of the agent could not be recorded`)];
    case 'run-end':
      return plain(...endLines(event));
  }
}

function plain(...lines: readonly string[]): RunLine[] {
  return lines.map((text) => ({ text, tone: 'plain' }));
}

function bad(text: string): RunLine {
  return { text, tone: 'bad' };
}

function countsOf(
  tests: { total: number; passing: number; failing: number } | null,
  exitCode: number | null,
): string {
  if (tests !== null) return `${tests.passing} of ${tests.total} tests pass, ${tests.failing} fail`;
  return exitCode === null ? 'nothing ran' : `exit code ${exitCode}, no numbers`;
}

function agentLine(event: AgentEvent): RunLine[] {
  switch (event.type) {
    case 'tool-call':
      return plain(`  ${describeEvent(event)}`);
    case 'permission':
      if (event.decision === 'allowed') return [];
      return [
        bad(
          `  ✗ denied (${event.by}): ${visibleExcerpt(event.title === '' ? event.name : event.title, 160)}`,
        ),
      ];
    case 'retry':
      return plain(`  … retrying (${event.attempt}): ${visibleExcerpt(event.message, 160)}`);
    case 'rate-limit':
      if (event.status === 'allowed') return [];
      return [bad(`  ! limit: ${visibleExcerpt(event.message, 160)}`)];
    case 'error':
      return [bad(`  ! ${visibleExcerpt(event.message, 200)}`)];
    default:
      return [];
  }
}

/** `RED`, or `story 2 of 3 (Parse the flags), iteration`. */
function iterationPlace({ phase, story, place }: Extract<RunEvent, { type: 'iteration-start' }>): string {
  if (story === null) return visibleLine(phase);
  if (place === null) return `story ${visibleLine(story)}, iteration`;
  return `story ${place.number} of ${place.total} (${visibleExcerpt(place.title, 80)}), iteration`;
}

const MAX_DENIALS = 5;

function iterationLines(
  event: Extract<RunEvent, { type: 'iteration-end' }>,
  denied: ReadonlySet<string>,
): RunLine[] {
  const { decision } = event;
  const facts = [
    verdictOf(event),
    ...filesOf(event),
    ...(event.breaker === 'CLOSED' ? [] : [`breaker ${event.breaker}`]),
  ];
  const lines = plain(`  ${facts.join(' · ')}`);
  if (event.error !== null && event.denied === null)
    lines.push(bad(`  ! ${visibleExcerpt(event.error, 200)}`));
  // Denials that were shown when they happened are not shown again.
  const untold = event.denials.filter((denial) => !denied.has(denial));
  for (const denial of untold.slice(0, MAX_DENIALS))
    lines.push(bad(`  ✗ denied: ${visibleExcerpt(denial, 160)}`));
  if (untold.length > MAX_DENIALS) lines.push(bad(`  ✗ and ${untold.length - MAX_DENIALS} more denied`));
  if (decision.next === 'enter-phase')
    lines.push({ text: `${nameOf(event)} is done; next is ${nameOf(decision)}`, tone: 'good' });
  return lines;
}

/** What the two gates say: the agent's word, and our measurements in numbers. */
export function verdictOf({
  run,
  gates,
}: Pick<Extract<RunEvent, { type: 'iteration-end' }>, 'run' | 'gates'>): string {
  const missing = describeMissing(gates.missing) || gates.condition;
  if (run !== 'answered') return RUN_WORDS[run];
  if (gates.second)
    return gates.first ? 'agent says done, checks agree' : `agent says done, checks do not: ${missing}`;
  return gates.first ? 'nothing is missing, but the agent does not say done' : `not done: ${missing}`;
}

const RUN_WORDS: Readonly<Record<Extract<RunEvent, { type: 'iteration-end' }>['run'], string>> = {
  answered: 'answered',
  failed: 'the run of the agent failed',
  'timed-out': 'the agent was ended: timed out',
  crashed: 'the agent crashed',
  limited: 'limited',
};

function filesOf({ files, filesLeft, gates }: Extract<RunEvent, { type: 'iteration-end' }>): string[] {
  const { created, modified, deleted } = files;
  const parts = [
    ...(created > 0 ? [`${counted(created, 'file')} created`] : []),
    ...(modified > 0 ? [`${counted(modified, 'file')} modified`] : []),
    ...(deleted > 0 ? [`${counted(deleted, 'file')} deleted`] : []),
  ];
  if (filesLeft > 0) parts.push(`${counted(filesLeft, 'file')} changed before it was interrupted`);
  if (parts.length > 0) return [parts.join(', ')];
  // The gate may have said so already.
  return gates.missing.some(({ what }) => what === 'changed-files') ? [] : ['no files changed'];
}

function skipLine({ phase, actor, reason, next }: Extract<RunEvent, { type: 'phase-skipped' }>): string {
  const then = next === null ? 'it was the last one' : `next is ${visibleLine(next)}`;
  return `${visibleLine(phase)} is skipped (by ${visibleLine(actor)}: ${visibleExcerpt(reason, 160)}); ${then}`;
}

function nameOf({ phase, story }: { readonly phase: string; readonly story: string | null }): string {
  return story === null ? visibleLine(phase) : `story ${visibleLine(story)}`;
}

function questionLine(event: Extract<RunEvent, { type: 'question' }>, isUnattended: boolean): string {
  const id = event.sessionId.slice(0, 8);
  const who = event.from === 'agent' ? 'the agent asks' : 'the run asks';
  const way = isUnattended ? '' : `; answer with \`holdfast answer ${id}\` or in \`holdfast inbox\``;
  return `? ${who}: ${visibleExcerpt(event.title, 80)} (question ${id})${way}`;
}

function endLines(event: Extract<RunEvent, { type: 'run-end' }>, hasStories = false): string[] {
  const { outcome, reason, missing = [], skipped = [] } = event;
  const skip = outcome === 'halted' && !hasStories ? ` ${LEAVE_PHASE}` : '';
  const next = `${NEXT[outcome].replace('<run>', event.sessionId.slice(0, 8))}${skip}`;
  const lacks = describeMissing(missing);
  const why = reason === null ? '' : `: ${visibleLine(reason)}`;
  const what = lacks === '' ? '' : `; the gate is not met: ${lacks}`;
  const way = isAboutTests(missing) ? `${next} ${WITHOUT_TESTS}` : next;
  return [
    `${outcome}${why}${what}${way}`,
    ...skipped.map(
      ({ phase, actor, reason: because }) =>
        `skipped: ${visibleLine(phase)} (by ${visibleLine(actor)}: ${visibleExcerpt(because, 160)})`,
    ),
  ];
}

// No path of the plan: it would be right only where the run was started.
const LEAVE_PHASE = 'Leave this phase: `holdfast run <plan> --skip`.';
const WITHOUT_TESTS = 'If the plan needs no new tests: `holdfast run <plan> --reset --phases work`.';

const NEXT: Readonly<Record<Extract<RunEvent, { type: 'run-end' }>['outcome'], string>> = {
  completed: '',
  halted: '. Try again: `holdfast resume <run> --reset`.',
  limit: '. Raise it and continue: the same command with --resume and a higher limit.',
  'needs-person':
    '. Answer it (`holdfast inbox`), then resume: `holdfast resume <run>`, or here with the same command and --resume.',
  stopped: '. Resume: `holdfast resume <run>` in the background, or here with the same command and --resume.',
  interrupted:
    '. Resume: `holdfast resume <run>` in the background, or here with the same command and --resume.',
  failed: '. Once that is mended, resume it: `holdfast resume <run>`.',
};

/** The person who typed the command need not be told who did. */
function byOf(actor: string | undefined): string {
  return actor === undefined || actor === 'cli' ? '' : ` by ${visibleLine(actor)}`;
}
