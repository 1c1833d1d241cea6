import { counted, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import { costText, dollarsText, type LoopReport, type ResumeOffer } from '../../sessions/loop/index.js';
import { formatAge } from '../duration.js';
import type { Style } from '../terminal.js';

export interface ShownLoop {
  readonly report: LoopReport | null;
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
  if (offer.action === 'offer_reset' && offer.reason !== null) lines.push(line('resume', offer.reason));
  return lines.join('\n');
}

function reportLines(report: LoopReport, now: Date, style: Style): string[] {
  const { breaker, gates, calls, usage, lastError } = report;
  const age = (time: string) => `${formatAge(now.getTime() - Date.parse(time))} ago`;
  const reason = report.statusReason === null ? '' : ` (${report.statusReason})`;
  const unit = report.story ?? report.phase;
  const lines = [
    `${style.bold(report.sessionId.slice(0, 8))}  ${statusColor(report.status, style)(report.status)}${visibleLine(reason)}`,
    line('plan', report.prpFile),
    line('phases', report.phases.map(phaseMark).join('  ')),
    line('progress', `${bar(report.percent)} ${report.percent} %`),
    line(
      'iteration',
      `${report.iteration} of ${unit} done, ${usage.iterations} in all, last ${age(report.lastActivityAt)}`,
    ),
    line('tests', testsOf(report)),
    line('breaker', breakerOf(breaker)),
    line('gates', `measured ${yesNo(gates.first)} (${gates.condition}), signal ${yesNo(gates.second)}`),
    line(
      'calls',
      `${calls.made} of ${calls.limit} this hour${calls.wait === null ? '' : `; waits ${calls.wait.in} for ${calls.wait.reason}`}`,
    ),
    line('used', usageOf(report)),
  ];
  if (lastError !== null)
    lines.push(
      line(
        'last error',
        `${visibleExcerpt(lastError.error, 100)} (${lastError.phase}, ${age(lastError.at)})`,
      ),
    );
  if (report.guidanceWaiting > 0)
    lines.push(line('guidance', `${report.guidanceWaiting} waiting for the next iteration`));
  lines.push(line('owner', report.owner === null ? 'none' : report.owner));
  return lines;
}

/** Every value passes the one encoder: most of them were written by agents. */
function line(label: string, value: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${visibleLine(value)}`;
}

function phaseMark(phase: LoopReport['phases'][number]): string {
  if (phase.progress === 'complete') return `[x] ${phase.name}`;
  return phase.progress === 'in_progress' ? `[>] ${phase.name} ${phase.percent} %` : `[ ] ${phase.name}`;
}

function bar(percent: number): string {
  const filled = Math.round((Math.max(0, Math.min(100, percent)) / 100) * BAR_WIDTH);
  return `${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}`;
}

function testsOf({ phases }: LoopReport): string {
  const numbers = phases.findLast((phase) => 'tests_total' in phase.numbers)?.numbers;
  if (numbers === undefined) return 'unknown';
  return `${numbers.tests_passing} of ${numbers.tests_total} pass, ${numbers.tests_failing} fail`;
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

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function statusColor(status: LoopReport['status'], style: Style): (text: string) => string {
  if (status === 'running' || status === 'completed') return style.green;
  return status === 'halted' || status === 'aborted' ? style.red : style.yellow;
}
