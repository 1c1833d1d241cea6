import { counted, dollarsText, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { RunStatus } from '../../run/index.js';
import {
  costText,
  describeMissing,
  isAboutTests,
  type LoopReport,
  momentOf,
  type ResumeOffer,
  TRIES_NOW,
} from '../../sessions/loop/index.js';
import { inOneLine } from '../../sessions/question/index.js';
import { formatAge } from '../duration.js';
import type { Style } from '../terminal.js';

/** A loop as read from its files, possibly with what is waiting for a person. */
type Shown = LoopReport & Partial<Pick<RunStatus, 'waitsFor' | 'answered' | 'answeredBy' | 'next' | 'log'>>;

export interface ShownLoop {
  readonly report: Shown | null;
  readonly offer: ResumeOffer;
  readonly faults: readonly string[];
}

const LABEL_WIDTH = 12;
const BAR_WIDTH = 30;

/** The loop of a project for a terminal. */
export function renderLoop({ report, offer, faults }: ShownLoop, now: Date, style: Style): string {
  const lines = report === null ? [style.bold('loop: cannot be read')] : reportLines(report, now, style);
  for (const fault of faults) lines.push(style.yellow(line('damaged', fault)));
  for (const warning of offer.warnings) lines.push(style.yellow(line('note', warning)));
  if (offer.action === 'offer_reset' && offer.reason !== null && report?.status !== 'completed')
    lines.push(line('resume', `${offer.reason}${waysOut(offer, report)}`));
  return lines.join('\n');
}

/** How to continue a halted session. */
function waysOut({ choices }: ResumeOffer, report: LoopReport | null): string {
  if (!choices.includes('reset')) return '';
  if (report === null) return '; try again: holdfast resume --reset';
  const id = report.sessionId.slice(0, 8);
  const again = `; try again: holdfast resume ${id} --reset`;
  // No path: it would be right only where the run was started.
  const run = 'holdfast run <plan>';
  const others = [
    ...(isAboutTests(report.gates.missing) ? [`${run} --reset --phases work (without new tests)`] : []),
    ...(choices.includes('skip') ? [`${run} --skip (leaves the phase)`] : []),
  ].join(', or ');
  if (others === '' || report.storiesTotal !== null) return again;
  // A process that asks how to continue is still there, and refuses a second one.
  const first = report.owner?.isAlive === true ? `first holdfast stop ${id}, then ` : '';
  return `${again}; or ${first}${others}`;
}

function reportLines(report: Shown, now: Date, style: Style): string[] {
  const { breaker, gates, calls, usage, lastError } = report;
  const age = (time: string) => `${formatAge(now.getTime() - Date.parse(time))} ago`;
  const unit = report.story === null ? report.phase : `story ${report.story}`;
  const lines = [
    `${style.bold(report.sessionId.slice(0, 8))}  ${statusColor(report.status, style)(report.status)}${visibleLine(whyOf(report))}`,
    ...waitLines(report, now, style),
    line('plan', report.prpFile),
    line(report.storiesTotal === null ? 'phases' : 'stories', phaseWords(report)),
    line('progress', `${bar(report.percent)} ${report.percent} %`),
    line(
      'iteration',
      `${report.iteration} of ${unit} done, ${usage.iterations} in all, last ${age(report.lastActivityAt)}`,
    ),
    line('tests', testsOf(report)),
    line('breaker', breakerOf(breaker)),
    line('gates', gateWords(gates)),
    line(
      'calls',
      `${calls.made} of ${calls.limit} this hour${calls.wait === null ? '' : `; waiting ${calls.wait.in}: ${calls.wait.reason}, until ${momentOf(calls.wait.until, now)}; ${TRIES_NOW}`}`,
    ),
    line('used', usageOf(report)),
  ];
  for (const { phase, at, actor, reason: why } of report.skipped)
    lines.push(line('skipped', `${phase}, by ${actor}: ${visibleExcerpt(why, 160)} (${age(at)})`));
  if (lastError !== null)
    lines.push(
      line(
        'last error',
        `${visibleExcerpt(lastError.error.replaceAll(/\s+/g, ' '), 100)} (${lastError.phase}, ${age(lastError.at)})`,
      ),
    );
  if (report.guidanceWaiting > 0)
    lines.push(line('guidance', `${report.guidanceWaiting} waiting for the next prompt`));
  lines.push(line('owner', ownerOf(report, now)));
  if (report.log != null) lines.push(line('log', report.log));
  if (report.next !== undefined && report.next.length > 0)
    lines.push(line('next', report.next.join(', then ')));
  return lines;
}

/** Every value goes through the same encoder, as most of them were written by agents. */
function line(label: string, value: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${visibleLine(value)}`;
}

/** The phases; stories by title, with the current one's number out of all. */
function phaseWords(report: LoopReport): string {
  const { phases, storiesTotal, story } = report;
  const marks = phases.map(phaseMark).join('  ');
  if (storiesTotal === null) return marks;
  const at = phases.findIndex(({ name }) => name === story) + 1;
  return `story ${at} of ${Math.max(storiesTotal, phases.length)}  ${marks}`;
}

function gateWords({ isMeasured, first, second, condition, missing }: LoopReport['gates']): string {
  if (!isMeasured) return `not measured yet; wanted: ${condition}`;
  if (first) return second ? 'met, and the agent says done' : 'met; the agent does not say done yet';
  const lacks = describeMissing(missing);
  // A session of an older release or another program does not record what is missing.
  if (lacks === '') return `not met: ${condition}`;
  return `${second ? 'the agent says done, the checks do not' : 'not met'}: ${lacks}`;
}

function phaseMark({ name: id, title, ...phase }: LoopReport['phases'][number]): string {
  const name = title === null ? id : `${id} ${visibleExcerpt(title, 40)}`;
  if (phase.progress === 'skipped') return `[-] ${name} skipped`;
  if (phase.progress === 'complete') return `[x] ${name}`;
  return phase.progress === 'in_progress' ? `[>] ${name} ${phase.percent} %` : `[ ] ${name}`;
}

function bar(percent: number): string {
  const filled = Math.round((Math.max(0, Math.min(100, percent)) / 100) * BAR_WIDTH);
  return `${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}`;
}

function testsOf({ tests }: LoopReport): string {
  if (tests === null) return 'unknown';
  const { passing, failing, total, from } = tests;
  return `${passing} of ${total} pass, ${failing} fail${from === 'baseline' ? ' (before the run)' : ''}`;
}

/** The reason for its status. If it is waiting for an answer, says that instead. */
function whyOf({
  waitsFor,
  answered = [],
  answeredBy = {},
  status,
  statusReason,
  statusActor,
  owner,
}: Shown): string {
  if (waitsFor?.kind === 'answer') {
    const gone = owner?.isAlive === true ? '' : '; no process is running it';
    return `: waiting for your answer${gone}${status === 'halted' ? ` (${statusReason})` : ''}`;
  }
  const by = (actor: string | null | undefined) => (actor == null ? '' : ` by ${actor}`);
  const ids = answered.map((id) => `${id.slice(0, 8)} answered${by(answeredBy[id])}`).join(', ');
  if (status === 'paused' && answered.length > 0)
    return ` (${answered.length === 1 ? 'question' : 'questions'} ${ids}; no process is running it)`;
  return statusReason === null ? '' : ` (${statusReason}${statusActor == null ? '' : `, by ${statusActor}`})`;
}

function waitLines({ waitsFor }: Shown, now: Date, style: Style): string[] {
  if (waitsFor == null || waitsFor.kind === 'pause') return [];
  const { question, reason, until, since } = waitsFor;
  if (question === null)
    return [
      style.yellow(line('waiting', `${until === null ? '' : `until ${momentOf(until, now)}: `}${reason}`)),
    ];
  const { id, title, prompt, from } = question;
  const asked =
    since === null ? '' : ` (asked by the ${from} ${formatAge(now.getTime() - Date.parse(since))} ago)`;
  const words = `${id.slice(0, 8)} ${visibleExcerpt(title, 40)}: ${visibleExcerpt(inOneLine(prompt), 300)}${asked}`;
  return [style.yellow(line('question', words))];
}

function ownerOf({ owner, status }: Shown, now: Date): string {
  if (owner === null) return 'none';
  const { pid, since, isAlive, reason } = owner;
  if (pid === null || since === null) return reason;
  if (!isAlive) return `process ${pid} is gone`;
  return `process ${pid}, ${status === 'running' ? 'running' : 'alive'} for ${formatAge(now.getTime() - Date.parse(since))}`;
}

function breakerOf(breaker: LoopReport['breaker']): string {
  const counts = [
    `no progress ${breaker.noProgressCount}`,
    `same error ${breaker.sameErrorCount}`,
    `denials ${breaker.permissionDenialCount}`,
    `failed runs ${breaker.failedRunCount}`,
  ];
  return `${breaker.state}${breaker.openReason === null ? '' : `: ${breaker.openReason}`} (${counts.join(', ')})`;
}

function usageOf({ usage, budget }: LoopReport): string {
  const of = (used: string, limit: unknown) => (typeof limit === 'number' ? `${used} of ${limit}` : used);
  const count = (used: number, limit: unknown, word: string) =>
    typeof limit === 'number' ? `${used} of ${counted(limit, word)}` : counted(used, word);
  const minutes = typeof budget.activeMs === 'number' ? budget.activeMs / 60_000 : undefined;
  return [
    count(usage.iterations, budget.iterations, 'iteration'),
    `${of((usage.activeMs / 60_000).toFixed(1), minutes)} min`,
    count(usage.tokens, budget.tokens, 'token'),
    ...(usage.cacheReadTokens === 0 ? [] : [`${usage.cacheReadTokens} read from the cache`]),
    `${costText(usage)}${typeof budget.costUsd === 'number' ? ` of ${dollarsText(budget.costUsd)}` : ''}`,
  ].join(', ');
}

function statusColor(status: LoopReport['status'], style: Style): (text: string) => string {
  if (status === 'running' || status === 'completed') return style.green;
  return status === 'halted' || status === 'aborted' ? style.red : style.yellow;
}
