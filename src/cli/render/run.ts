import { type AgentEvent, describeEvent } from '../../agents/index.js';
import { counted, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { RunEvent } from '../../runner/index.js';
import { countdown } from '../../sessions/loop/index.js';
import type { CommandContext } from '../command.js';

/** A run as plain lines on stderr. Every wait says for what and until when. */
export class RunLines implements Disposable {
  readonly #context: CommandContext;
  readonly #describe: (event: RunEvent) => string[];
  #ticking: NodeJS.Timeout | undefined;

  constructor(context: CommandContext, isUnattended: boolean) {
    this.#context = context;
    this.#describe = runDescriber(isUnattended);
  }

  show(event: RunEvent): void {
    this[Symbol.dispose]();
    for (const line of this.#describe(event)) this.#context.terminal.note(line);
    if (event.type === 'waiting') this.#count(event.reason, event.until);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  #count(reason: string, until: string | null): void {
    const { services, terminal } = this.#context;
    if (until === null) {
      terminal.note(`waits: ${visibleLine(reason)}`);
      return;
    }
    const line = () =>
      `waits ${countdown(until, services.clock.now())} for ${visibleLine(reason)}, until ${until}`;
    terminal.note(line());
    // Once a minute a line in a file, each second the same line on a screen.
    const isScreen = terminal.isInteractive;
    this.#ticking = setInterval(
      () => (isScreen ? process.stderr.write(`\r\u001b[2K${line()}`) : terminal.note(line())),
      isScreen ? 1_000 : 60_000,
    );
  }
}

/** What is waited for, and until when. */
export function waitLine({ reason, until }: Extract<RunEvent, { type: 'waiting' }>, now: Date): string {
  if (until === null) return `waits: ${visibleLine(reason)}`;
  return `waits ${countdown(until, now)} for ${visibleLine(reason)}, until ${until}`;
}

/** Says what is to be said about the events of one run; nothing about most of them. Each denial is said once. */
export function runDescriber(isUnattended: boolean): (event: RunEvent) => string[] {
  const denied = new Set<string>();
  return (event) => {
    if (event.type === 'iteration-start') denied.clear();
    if (event.type === 'agent' && event.event.type === 'permission' && event.event.decision === 'denied')
      denied.add(`${event.event.name}: ${event.event.title}`);
    return describeRunEvent(event, isUnattended, denied);
  };
}

/** What is said about one event; `denied` was said before. */
export function describeRunEvent(
  event: RunEvent,
  isUnattended: boolean,
  denied: ReadonlySet<string> = new Set(),
): string[] {
  switch (event.type) {
    case 'run-start':
      return [
        `run ${event.sessionId.slice(0, 8)} ${event.isResumed ? 'resumed' : 'started'}: ${visibleLine(event.plan)} with ${event.agent}`,
        `conversation: ${visibleLine(event.conversation)}`,
      ];
    case 'standing':
      return [];
    case 'baseline':
      return [`baseline: ${countsOf(event.tests, event.exitCode)}`];
    case 'iteration-start':
      return [`${visibleLine(event.story ?? event.phase)} ${event.iteration}: the agent works`];
    case 'continuation':
      return event.continuation.how === 'replayed'
        ? [
            `  the agent starts anew and is told what was said: ${visibleExcerpt(event.continuation.reason, 160)}`,
          ]
        : [];
    case 'agent':
      return agentLine(event.event);
    case 'verify-start':
      return [];
    case 'verify-end':
      return [`  ${visibleLine(event.command)}: ${countsOf(event.tests, event.exitCode)}`];
    case 'iteration-end':
      return iterationLines(event, denied);
    case 'iteration-cut':
      return [`  cut short (${event.reason}); its prompt is not sent again`];
    case 'waiting':
      return [];
    case 'question':
      return [questionLine(event, isUnattended)];
    case 'request':
      return [`request: ${event.request.kind}`];
    case 'run-end':
      return [endLine(event)];
  }
}

function countsOf(
  tests: { total: number; passing: number; failing: number } | null,
  exitCode: number | null,
): string {
  if (tests !== null) return `${tests.passing} of ${tests.total} tests pass, ${tests.failing} fail`;
  return exitCode === null ? 'nothing ran' : `exit code ${exitCode}, no numbers`;
}

function agentLine(event: AgentEvent): string[] {
  switch (event.type) {
    case 'tool-call':
      return [`  ${describeEvent(event)}`];
    case 'permission':
      return event.decision === 'denied'
        ? [`  ✗ denied (${event.by}): ${visibleExcerpt(event.title === '' ? event.name : event.title, 160)}`]
        : [];
    case 'retry':
      return [`  … tries again (${event.attempt}): ${visibleExcerpt(event.message, 160)}`];
    case 'rate-limit':
      return [`  ! limit: ${visibleExcerpt(event.message, 160)}`];
    case 'error':
      return [`  ! ${visibleExcerpt(event.message, 200)}`];
    default:
      return [];
  }
}

function iterationLines(
  event: Extract<RunEvent, { type: 'iteration-end' }>,
  denied: ReadonlySet<string>,
): string[] {
  const { files, gates, decision } = event;
  const facts = [
    event.run,
    `${counted(files.created, 'file')} created, ${files.modified} modified, ${files.deleted} deleted`,
    `measured ${gates.first ? 'yes' : 'no'}, signal ${gates.second ? 'yes' : 'no'}`,
    ...(event.breaker === 'CLOSED' ? [] : [`breaker ${event.breaker}`]),
  ];
  const lines = [`  ${facts.join('; ')}`];
  const isDenial = event.denials.some((denial) => event.error === `permission denied: ${denial}`);
  if (event.error !== null && !isDenial) lines.push(`  ! ${visibleExcerpt(event.error, 200)}`);
  // Those that were told when they happened are not told again.
  const untold = event.denials.filter((denial) => !denied.has(denial));
  for (const denial of untold.slice(0, MAX_DENIALS)) lines.push(`  ✗ denied: ${visibleExcerpt(denial, 160)}`);
  if (untold.length > MAX_DENIALS) lines.push(`  ✗ and ${untold.length - MAX_DENIALS} more denied`);
  if (decision.next === 'enter-phase') lines.push(`${nameOf(event)} is done; next is ${nameOf(decision)}`);
  return lines;
}

const MAX_DENIALS = 5;

function nameOf({ phase, story }: { readonly phase: string; readonly story: string | null }): string {
  return story === null ? visibleLine(phase) : `story ${visibleLine(story)}`;
}

function questionLine(event: Extract<RunEvent, { type: 'question' }>, isUnattended: boolean): string {
  const id = event.sessionId.slice(0, 8);
  const who = event.from === 'agent' ? 'the agent asks' : 'the run asks';
  const way = isUnattended ? '' : `; answer with \`holdfast answer ${id}\` or in \`holdfast inbox\``;
  return `? ${who}: ${visibleExcerpt(event.title, 80)} (question ${id})${way}`;
}

function endLine({ outcome, reason }: Extract<RunEvent, { type: 'run-end' }>): string {
  const why = reason === null ? '' : `: ${visibleLine(reason)}`;
  return `${outcome}${why}${NEXT[outcome]}`;
}

const NEXT: Readonly<Record<Extract<RunEvent, { type: 'run-end' }>['outcome'], string>> = {
  completed: '',
  halted: '. Try again: `holdfast resume --reset`.',
  limit: '. Raise it and go on: the same command with --resume and a higher limit.',
  'needs-person':
    '. Answer it (`holdfast inbox`), then go on: `holdfast resume`, or here with the same command and --resume.',
  stopped: '. Go on: `holdfast resume` in the background, or here with the same command and --resume.',
  interrupted: '. Go on: `holdfast resume` in the background, or here with the same command and --resume.',
};
