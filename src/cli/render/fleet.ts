import type { Finding, FleetReport } from '../../fleet/index.js';
import { dollarsText, visibleExcerpt, visibleLabel, visibleLine } from '../../foundation/index.js';
import { formatAge } from '../duration.js';
import type { Style } from '../terminal.js';
import { renderOverview } from './overview.js';
import { renderTable } from './table.js';

/** What everybody in a fleet can read; shown on joining. */
export const SHARED: readonly string[] = [
  'Everybody in the fleet can read the questions that agents ask on this machine, and the answers, word for word.',
  'They see its runs: project, plan, agent, phase, tests, cost, why one is waiting. Conversations, code and files stay here; a run of the queue stores its conversation, redacted.',
];

const HEAD = ['MACHINE', 'LOGIN', 'VERSION', 'STATE', 'WAITING', 'WORKING', 'RESTING', 'COST'];

/** A machine without a sign for this long counts as quiet: it gives one every 20 seconds. */
const QUIET_SECONDS = 60;

export function renderFleet(report: FleetReport, now: Date, style: Style): string {
  const { machines, onItsWay, settled } = report;
  const rows = machines.map(
    ({ name, role, version, quietSeconds, waiting, running, resting, costUsd, isThis }) => [
      `${visibleLabel(name)}${isThis ? ' (this)' : ''}`,
      visibleExcerpt(role, 20),
      visibleExcerpt(version, 12),
      quietSeconds > QUIET_SECONDS ? `no sign for ${formatAge(quietSeconds * 1_000)}` : 'up',
      String(waiting),
      String(running),
      String(resting),
      dollarsText(costUsd),
    ],
  );
  const table = rows.length === 0 ? [] : [renderTable(HEAD, rows, style)];
  const open = report.runs.filter(({ group }) => group !== 'ended');
  const runs = open.length === 0 ? [] : ['', renderOverview(open, now, style), ''];
  return [
    `${visibleLine(report.machine)} in ${visibleLine(report.address)}${report.isLinked ? '' : ', not kept in step now (holdfast worker --slots 0)'}`,
    ...table,
    ...runs,
    ...onItsWay.map(
      ({ request, session, machine, kind }) =>
        `on its way: ${kind} to ${session.slice(0, 8)} on ${visibleLabel(machine)} (holdfast fleet take-back ${request.slice(0, 8)})`,
    ),
    ...settled.map(({ session, machine, state, message }) =>
      state === 'applied'
        ? `arrived: ${session.slice(0, 8)} on ${visibleLabel(machine)}`
        : `${state}: ${session.slice(0, 8)} on ${visibleLabel(machine)}${message === '' ? '' : `: ${visibleLine(message)}`}`,
    ),
  ].join('\n');
}

const MARKS: Readonly<Record<Finding['is'], string>> = { ok: 'ok  ', warn: 'warn', bad: 'BAD ' };

export function renderFindings(findings: readonly Finding[], style: Style): string {
  return findings
    .flatMap(({ what, is, words, hint }) => {
      const line = `${MARKS[is]}  ${what}: ${visibleLine(words)}`;
      const shown = is === 'ok' ? line : style.yellow(line);
      return hint === undefined ? [shown] : [shown, `      ${visibleLine(hint)}`];
    })
    .join('\n');
}
