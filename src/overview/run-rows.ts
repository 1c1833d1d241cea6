import { testHistory } from '../run/index.js';
import {
  costSourceOf,
  type LoopReport,
  type LoopSessions,
  type LoopView,
  momentOf,
  reportOf,
} from '../sessions/loop/index.js';
import type { OverviewRow, RowGroup, RowWorktree } from './row.js';

export interface RunRowOptions {
  readonly now: Date;
  /** Runs that ended before this are not shown. */
  readonly dayStart: Date;
  /** The agent that works in a run, if known. */
  readonly agentOf: (sessionId: string) => string | undefined;
  /** The worktree they work in, if there is one. */
  readonly worktree?: RowWorktree | undefined;
}

const OVER: readonly string[] = ['completed', 'aborted'];

/** A project's current run and the archived ones that ended today. Throws UNSAFE_PATH. */
export function runRows(loops: LoopSessions, options: RunRowOptions): OverviewRow[] {
  const view = loops.get();
  const current = view === undefined ? damagedRow(loops, options) : [rowOf(loops, view, false, options)];
  const archived = loops.archived(options.dayStart).flatMap(({ loop }) => {
    const one = loop.get();
    // After a crash the current run may be in the archive as well.
    if (one === undefined || one.sessionId === view?.sessionId) return [];
    return OVER.includes(one.status) ? [rowOf(loops, one, true, options)] : [];
  });
  return [...current, ...archived];
}

/** One run of the project, archived or not; undefined if the project has none with this id. Throws UNSAFE_PATH. */
export function runRow(
  loops: LoopSessions,
  sessionId: string,
  options: RunRowOptions,
): OverviewRow | undefined {
  const found = loops.list().find(({ id }) => id === sessionId);
  const view = found?.loop.get();
  return found === undefined || view === undefined
    ? undefined
    : rowOf(loops, view, found.isArchived, options);
}

function rowOf(
  loops: LoopSessions,
  view: LoopView,
  isArchived: boolean,
  { now, agentOf, worktree }: RunRowOptions,
): OverviewRow {
  const report = reportOf(view, now);
  const { state, documents } = view;
  const { metrics } = documents;
  const group = groupOf(report);
  return {
    key: `run:${view.sessionId}`,
    kind: 'run',
    id: view.sessionId,
    ...placeOf(loops, worktree),
    title: state.prpFile,
    agent: agentOf(view.sessionId) ?? null,
    group,
    status: view.status,
    phase: phaseOf(report),
    tests: metrics === undefined ? [] : testHistory({ state, metrics }),
    cost: { usd: report.usage.costUsd, source: costSourceOf(report.usage) },
    startedAt: state.startedAt,
    since: sinceOf(report, group, state.completedAt ?? null),
    why: whyOf(report, now),
    question: null,
    isRunning: view.owner.hold === 'held',
    ...(view.leftBehind === null ? {} : { leftBehind: view.leftBehind.pid }),
    isArchived,
  };
}

function placeOf(
  { projectDirectory }: LoopSessions,
  worktree: RowWorktree | undefined,
): Pick<OverviewRow, 'project' | 'worktree'> {
  if (worktree === undefined) return { project: projectDirectory };
  const { path, branch, repository, repositoryName } = worktree;
  const name = repositoryName === undefined ? {} : { repositoryName };
  return { project: repository, worktree: { path, branch, repository, ...name } };
}

function groupOf({ status }: LoopReport): RowGroup {
  if (OVER.includes(status)) return 'ended';
  return status === 'running' ? 'works' : 'rests';
}

function sinceOf(report: LoopReport, group: RowGroup, completedAt: string | null): string {
  if (group === 'works') return report.calls.wait?.since ?? report.startedAt;
  if (group === 'ended') return completedAt ?? report.lastActivityAt;
  return (report.status === 'paused' ? report.pausedAt : null) ?? report.lastActivityAt;
}

/** For stories: the current one, by its number. */
function phaseOf({ phase, story, phases, storiesTotal }: LoopReport): string {
  if (story === null) return phase;
  const place = phases.findIndex(({ name }) => name === story) + 1;
  return place === 0 ? `story ${story}` : `story ${place} of ${storiesTotal ?? phases.length}`;
}

function whyOf(report: LoopReport, now: Date): string | null {
  const { status, statusReason, calls, breaker, cutOff } = report;
  if (status === 'running' && cutOff !== undefined) return cutOff.words;
  if (status === 'running')
    return calls.wait === null ? null : `${calls.wait.reason}, until ${momentOf(calls.wait.until, now)}`;
  if (status === 'completed') return null;
  const reason = statusReason ?? (status === 'halted' ? breaker.openReason : null);
  return reason === null ? status : `${status}: ${reason}`;
}

/** A session that exists but cannot be read needs a person, too. */
function damagedRow(loops: LoopSessions, { now, worktree }: RunRowOptions): OverviewRow[] {
  if (!loops.isFound()) return [];
  const [fault = 'its state cannot be read'] = loops.verify();
  const at = now.toISOString();
  return [
    {
      key: `run:${loops.directory}`,
      kind: 'run',
      id: 'loop',
      ...placeOf(loops, worktree),
      title: '(cannot be read)',
      agent: null,
      group: 'rests',
      status: 'damaged',
      phase: null,
      tests: [],
      cost: null,
      startedAt: at,
      since: at,
      why: `damaged: ${fault}`,
      question: null,
      isRunning: loops.owner().hold === 'held',
      isArchived: false,
    },
  ];
}
