import type { RunReport } from '../../diagnostics/index.js';
import { visibleExcerpt, visibleLine } from '../../foundation/index.js';
import { costText, tokensText } from '../../sessions/loop/index.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

/** A report for a terminal. */
export function renderReport(report: RunReport, style: Style): string {
  const lines = [
    `${style.bold(report.sessionId.slice(0, 8))}  ${report.status}${report.reason === null ? '' : `: ${visibleLine(report.reason)}`}`,
    ...factsOf(report).map(([label, value]) => `${label.padEnd(LABEL_WIDTH)}${visibleLine(value)}`),
  ];
  lines.push('', renderTable(PHASE_COLUMNS, report.phases.map(phaseRow)));
  if (report.tests.length > 0) lines.push('', style.bold('tests over time'));
  for (const point of report.tests) lines.push(`  ${visibleLine(pointText(point))}`);
  for (const [title, items] of listsOf(report)) {
    lines.push('', style.bold(title), ...items.map((item) => `  ${visibleExcerpt(item, 200)}`));
  }
  return lines.join('\n');
}

/** The same as Markdown. */
export function renderReportMarkdown(report: RunReport): string {
  const lines = [`# Report: ${cell(report.plan)}`, ''];
  lines.push(`- status: ${cell(report.status)}${report.reason === null ? '' : ` (${cell(report.reason)})`}`);
  for (const [label, value] of factsOf(report)) lines.push(`- ${label}: ${cell(value)}`);
  lines.push(
    '',
    '| Phase | Iterations | Ended | Tokens | Cost | Files |',
    '| --- | --- | --- | --- | --- | --- |',
  );
  for (const phase of report.phases)
    lines.push(
      `| ${cell(phase.name)} | ${phase.iterations} | ${cell(phase.exitReason ?? 'no')} | ${phase.tokens} | ${costText(phase)} | ${phase.filesChanged} |`,
    );
  if (report.tests.length > 0)
    lines.push('', '| Phase | Iteration | Pass | Fail | Total |', '| --- | --- | --- | --- | --- |');
  for (const { phase, iteration, passing, failing, total } of report.tests)
    lines.push(`| ${cell(phase)} | ${iteration} | ${passing} | ${failing} | ${total} |`);
  for (const [title, items] of listsOf(report))
    lines.push('', `## ${title}`, '', ...items.map((item) => `- ${cell(item)}`));
  return lines.join('\n');
}

const LABEL_WIDTH = 14;

function factsOf(report: RunReport): [string, string][] {
  const { usage } = report;
  return [
    ['plan', report.plan],
    ['started', report.startedAt],
    ['last active', report.lastActivityAt],
    ['iterations', String(usage.iterations)],
    ['worked', `${(usage.activeMs / 60_000).toFixed(1)} min`],
    ['tokens', tokensText(usage)],
    ['cache reads', `${usage.cacheReadTokens ?? 0}, not among the tokens`],
    ['cost', costText(usage)],
    ...report.priceSources.map((source): [string, string] => ['prices', source]),
    [
      'breaker',
      `${report.breaker.state}${report.breaker.openReason === null ? '' : `: ${report.breaker.openReason}`}`,
    ],
    ['conversation', report.conversation ?? 'none'],
  ];
}

const PHASE_COLUMNS = ['PHASE', 'ITERATIONS', 'FILES', 'TOKENS', 'COST', 'ENDED'];

function phaseRow(phase: RunReport['phases'][number]): string[] {
  const numbers = [phase.iterations, phase.filesChanged, phase.tokens].map(String);
  const end = phase.completedAt === null ? 'not yet' : (phase.exitReason ?? 'without a reason');
  return [visibleLine(phase.name), ...numbers, costText(phase), visibleExcerpt(end, 80)];
}

function pointText({ phase, iteration, passing, failing, total }: RunReport['tests'][number]): string {
  return `${phase} ${iteration}: ${passing} of ${total} pass, ${failing} fail`;
}

function listsOf(report: RunReport): [string, string[]][] {
  const lists: [string, string[]][] = [
    ['questions', report.questions.map(({ id, title, status }) => `${id.slice(0, 8)} ${title}: ${status}`)],
    ['denied', report.denials.map(({ at, what }) => `${at} ${what}`)],
    ['errors', report.errors.map(({ at, phase, error }) => `${at} ${phase}: ${error}`)],
    ['last words', report.lastWords?.split('\n') ?? []],
  ];
  return lists.filter(([, items]) => items.length > 0);
}

/** What agents wrote cannot end a cell or begin markup of its own. */
function cell(text: string): string {
  return visibleExcerpt(text, 300).replaceAll(/[\\|<>`*_[\]]/g, (character) => `\\${character}`);
}
