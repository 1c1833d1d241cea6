import { counted, formatAge, shellWord, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { RunEnd, RunReport } from '../../run/index.js';
import { costText, tokensText } from '../../sessions/loop/index.js';
import { inOneLine } from '../../sessions/question/index.js';
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
    lines.push('', style.bold(title), ...items.map((item) => `  ${visibleExcerpt(item, 400)}`));
  }
  return lines.join('\n');
}

/** What a run did, for people who watch it end. */
export function renderRunEnd(report: RunReport, outcome: RunEnd['outcome']): string[] {
  const files = fileLines(report, MAX_SHOWN_FILES);
  const rows: [string, string][] = [
    ['files', filesOf(report)],
    ...files.map((file): [string, string] => ['', file]),
    ['tests', testsOf(report)],
    ['time', timeOf(report)],
    ['cost', costOf(report)],
    ...questionLines(report).map((line, index): [string, string] => [index === 0 ? 'questions' : '', line]),
    ...(report.skipped.length === 0
      ? []
      : [['skipped', report.skipped.map(({ phase }) => phase).join(', ')] as [string, string]]),
    ...worktreeRows(report),
    ['next', nextOf(report, outcome)],
  ];
  return rows.map(([label, value]) => `${label.padEnd(LABEL_WIDTH)}${visibleLine(value)}`);
}

const MAX_SHOWN_FILES = 20;

function nextOf({ files, worktree, sessionId }: RunReport, outcome: RunEnd['outcome']): string {
  const git = worktree === null ? 'git' : `git -C ${shellWord(worktree.path)}`;
  const base = worktree === null ? '' : ` ${worktree.base.commit.slice(0, 12)}`;
  // New files do not appear in a diff before they are added.
  const look = files?.some(({ added }) => added !== null) ? [`${git} status`, `${git} diff${base}`] : [];
  const id = worktree === null ? '' : ` ${sessionId.slice(0, 8)}`;
  const resume = `holdfast resume${id}`;
  const goOn = { halted: `${resume} --reset`, 'needs-person': 'holdfast inbox', completed: undefined };
  const command = outcome in goOn ? goOn[outcome as keyof typeof goOn] : resume;
  return [...(command === undefined ? [] : [command]), ...look, `holdfast report${id}`].join(' · ');
}

function filesOf({ files }: RunReport): string {
  if (files === null) return 'unknown';
  if (files.length === 0) return 'none changed';
  const sum = (key: 'added' | 'deleted') => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  const isCounted = files.some(({ added }) => added !== null);
  return `${files.length} changed${isCounted ? `, +${sum('added')} −${sum('deleted')}` : ''}`;
}

function fileLines({ files }: RunReport, max: number): string[] {
  const lines = (files ?? []).slice(0, max).map(({ path, added, deleted, wasUncommitted }) => {
    const numbers = added === null ? '' : ` +${added} −${deleted ?? 0}`;
    return `${visibleExcerpt(path, 160)}${numbers}${wasUncommitted ? ' (had uncommitted changes before the run)' : ''}`;
  });
  const left = (files?.length ?? 0) - lines.length;
  return left > 0 ? [...lines, `and ${left} more`] : lines;
}

function testsOf({ testsBefore, testsAfter }: RunReport): string {
  const words = (tests: RunReport['testsBefore']) =>
    tests === null ? 'unknown' : `${tests.passing} of ${tests.total} passed`;
  if (testsAfter === null) return `before the run ${words(testsBefore)}`;
  return `${words(testsAfter)}, before the run ${words(testsBefore)}`;
}

function timeOf({ elapsedMs, usage }: RunReport): string {
  return `${formatAge(elapsedMs)}, of which ${formatAge(usage.activeMs)} of work in ${counted(usage.iterations, 'iteration')}`;
}

/** What it cost, in money and in tokens. */
function costOf({ usage }: RunReport): string {
  return `${costText(usage)}; tokens: ${tokensText(usage)}`;
}

function questionLines({ questions }: RunReport): string[] {
  return questions.map(({ id, title, prompts, answer, askedBy, answeredBy }) => {
    const asked = visibleExcerpt(prompts.map(inOneLine).join(' / '), 160);
    const by = askedBy === null ? '' : ` (${visibleExcerpt(askedBy, 40)})`;
    const decided = answeredBy === null ? '' : ` (by ${visibleExcerpt(answeredBy, 40)})`;
    return `${id.slice(0, 8)}${by} ${visibleExcerpt(title, 40)}: ${asked} → ${visibleExcerpt(answer ?? 'not answered yet', 200)}${decided}`;
  });
}

const LABEL_WIDTH = 14;

function factsOf(report: RunReport): [string, string][] {
  const { usage } = report;
  return [
    ['plan', report.plan],
    ['started', report.startedAt],
    ['last active', report.lastActivityAt],
    ['iterations', String(usage.iterations)],
    ['time', timeOf(report)],
    ['files', filesOf(report)],
    ['tests', testsOf(report)],
    ['tokens', tokensText(usage)],
    ['cache reads', `${usage.cacheReadTokens ?? 0}, not among the tokens`],
    ['cost', costText(usage)],
    ...report.priceSources.map((source): [string, string] => ['prices', source]),
    [
      'breaker',
      `${report.breaker.state}${report.breaker.openReason === null ? '' : `: ${report.breaker.openReason}`}`,
    ],
    ...report.openings.map(({ at, reason }): [string, string] => ['opened', `${at}: ${reason ?? 'unknown'}`]),
    ...processRows(report),
    ['conversation', report.conversation ?? 'none'],
    ...(report.log === null ? [] : [['log', report.log] as [string, string]]),
    ...worktreeRows(report),
  ];
}

/** Restarts, if any. */
function processRows({ processes, isRunning }: RunReport): [string, string][] {
  return processes.flatMap(({ startedAt, actor, end }, index): [string, string][] => {
    const before = processes[index - 1];
    if (before === undefined) return [];
    const how = before.end === null ? 'its process had ended without a word' : before.end.outcome;
    const isNow = isRunning && end === null ? ', running' : '';
    return [['resumed', `${startedAt}${actor === null ? '' : ` by ${actor}`}, after ${how}${isNow}`]];
  });
}

/** Where its work is, and the commands to merge or discard it. */
function worktreeRows({ worktree }: RunReport): [string, string][] {
  if (worktree === null) return [];
  const { path, isThere, branch, isBranchThere, base, diffstat, uncommitted, unmerged, commands } = worktree;
  const from = `${base.branch === null ? '' : `${base.branch} `}${base.commit.slice(0, 12)}`;
  const changes =
    diffstat === null
      ? 'unknown'
      : `${counted(diffstat.files, 'file')}, +${diffstat.added} −${diffstat.deleted}`;
  const told = (count: number | null, what: string) => `${count ?? 'an unknown number of'} ${what}`;
  return [
    ['worktree', isThere ? path : `${path} (removed)`],
    ['branch', `${branch}${isBranchThere ? '' : ' (deleted)'}, from ${from}`],
    ['since base', `${changes}; ${told(uncommitted, 'uncommitted')}, ${told(unmerged, 'unmerged commits')}`],
    ...commands.merge.map((command, at): [string, string] => [at === 0 ? 'merge' : '', command]),
    ...commands.discard.map((command, at): [string, string] => [at === 0 ? 'discard' : '', command]),
  ];
}

const PHASE_COLUMNS = ['PHASE', 'ITERATIONS', 'FILES', 'TOKENS', 'COST', 'ENDED'];

function phaseRow(phase: RunReport['phases'][number]): string[] {
  const numbers = [phase.iterations, phase.filesChanged, phase.tokens].map(String);
  return [visibleLine(phase.name), ...numbers, costText(phase), visibleExcerpt(endOf(phase), 80)];
}

/** How a phase ended; `done` means that both gates were met. */
function endOf({ completedAt, exitReason }: RunReport['phases'][number]): string {
  if (completedAt === null) return 'not yet';
  return exitReason === null || exitReason === 'Dual-Gate satisfied' ? 'done' : exitReason;
}

function pointText({ phase, iteration, passing, failing, total }: RunReport['tests'][number]): string {
  return `${phase} ${iteration}: ${passing} of ${total} pass, ${failing} fail`;
}

const MAX_LISTED_FILES = 100;

function listsOf(report: RunReport): [string, string[]][] {
  const lists: [string, string[]][] = [
    ['not in this report', report.gaps.map(({ words }) => words)],
    [
      'skipped',
      report.skipped.map(({ phase, at, actor, reason }) => `${phase}, by ${actor} at ${at}: ${reason}`),
    ],
    ['files', fileLines(report, MAX_LISTED_FILES)],
    ['questions', questionLines(report)],
    ['denied', report.denials.map(({ at, what }) => `${at} ${what}`)],
    ['errors', report.errors.map(({ at, phase, error }) => `${at} ${phase}: ${inOneLine(error)}`)],
    ['last words', report.lastWords?.split('\n') ?? []],
    ['continue', [...report.commands]],
  ];
  return lists.filter(([, items]) => items.length > 0);
}
