import type {
  ProjectSession,
  SessionDetail,
  SessionFault,
  SessionSummary,
  TrashedRef,
} from '../../catalog/index.js';
import { barred, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { ChangeState } from '../../sessions/change/index.js';
import type { ConversationView } from '../../sessions/conversation/index.js';
import { formatAge } from '../duration.js';
import type { Style } from '../terminal.js';
import { renderLoop } from './loop.js';
import { renderProcess } from './processes.js';
import { renderQuestionSet } from './questions.js';
import { renderTable } from './table.js';

/** Sessions of every kind as a table, with their projects if given. */
export function renderSessions(
  summaries: readonly (SessionSummary | ProjectSession)[],
  now: Date,
  style: Style,
): string {
  const hasProjects = summaries.some((summary) => 'project' in summary);
  const rows = summaries.map((summary) => [
    summary.kind,
    shortId(summary),
    summary.isDamaged ? `${summary.status} (damaged)` : summary.status,
    summary.lastActivity === null ? '' : formatAge(now.getTime() - Date.parse(summary.lastActivity)),
    visibleExcerpt(summary.agent ?? '', 20),
    ...(hasProjects ? [projectOf(summary)] : []),
    visibleExcerpt(summary.title, 48),
  ]);
  const project = hasProjects ? ['PROJECT'] : [];
  return renderTable(['KIND', 'ID', 'STATUS', 'ACTIVE', 'AGENT', ...project, 'ABOUT'], rows, style);
}

function projectOf(summary: SessionSummary | ProjectSession): string {
  if (!('project' in summary)) return '';
  return endOfPath(summary.repositoryName ?? summary.project ?? '');
}

const MAX_PATH = 40;

/** The end of a path, which says more than its start. */
function endOfPath(path: string): string {
  const shown = visibleLine(path);
  return shown.length <= MAX_PATH ? shown : `…${shown.slice(-MAX_PATH)}`;
}

/** What is in the trash. */
export function renderTrash(trashed: readonly TrashedRef[], now: Date, style: Style): string {
  const rows = trashed.map(({ kind, id, trashedAt }) => [
    kind,
    visibleExcerpt(id, 64),
    `${formatAge(now.getTime() - Date.parse(trashedAt))} ago`,
  ]);
  return renderTable(['KIND', 'ID', 'DELETED'], rows, style);
}

/** One session in full, shown the way its kind is shown elsewhere. */
export function renderSession(shown: SessionDetail, now: Date, style: Style): string {
  switch (shown.kind) {
    case 'question':
      return renderQuestionSet(shown.detail, style);
    case 'process':
      return renderProcess(shown.detail, style);
    case 'loop':
      return renderLoop(shown.detail, now, style);
    case 'change':
      return renderChangeSession(shown.detail, style);
    case 'conversation':
      return renderConversation(shown.detail, style);
  }
}

/** A fault with its place, if it has one. */
export function renderFault({ detail, line, offset }: SessionFault): string {
  const place = [line === null ? '' : `line ${line}`, offset === null ? '' : `byte ${offset}`]
    .filter((part) => part !== '')
    .join(', ');
  return `${place === '' ? '' : `${place}: `}${visibleLine(detail)}`;
}

/** Generated ids are shortened to their start; ids that people chose are shown whole. */
function shortId({ kind, id }: SessionSummary): string {
  if (kind === 'process') return visibleLine(id.slice(0, 12));
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id) ? id.slice(0, 8) : visibleExcerpt(id, 64);
}

function renderConversation(view: ConversationView, style: Style): string {
  const { metadata, turns, turnCount, damage } = view;
  const reason = view.statusReason === null ? '' : ` (${visibleLine(view.statusReason)})`;
  const lines = [
    `${style.bold(visibleLine(metadata.id))}  ${view.status}${reason}`,
    `agent      ${visibleLine(metadata.agent)}`,
    `created    ${metadata.createdAt}, last active ${view.lastActivity}`,
    `turns      ${turnCount}`,
  ];
  if (metadata.workingDirectory !== null) lines.push(`directory  ${visibleLine(metadata.workingDirectory)}`);
  if (turns.length < turnCount) lines.push(style.dim(`The last ${turns.length}; an export has them all.`));
  for (const turn of turns) {
    const mark = turn.failure === null ? '' : ` (failed: ${visibleExcerpt(turn.failure, 100)})`;
    lines.push('', `${style.bold(`${turn.number}. ${turn.role}`)}  ${turn.timestamp}${mark}`);
    lines.push(barred(turn.content, '   │ '));
  }
  for (const one of damage) lines.push(style.yellow(`damaged: ${renderFault(one)}`));
  return lines.join('\n');
}

function renderChangeSession(state: ChangeState, style: Style): string {
  const ended = state.endedAt === null ? '' : ` ${state.endedAt}`;
  const reason = state.releaseReason === null ? '' : `: ${visibleLine(state.releaseReason)}`;
  const lines = [
    `${style.bold(visibleLine(state.sessionId))}  ${state.status}${ended}${reason}`,
    `change     ${visibleLine(state.changeName)}`,
    `project    ${visibleLine(state.project)}`,
    `created    ${state.createdAt}, last active ${state.updatedAt}`,
    `story      ${visibleLine(state.currentStoryId ?? 'none')}`,
    `tasks      ${visibleLine(state.completedTasks.join(', ') || 'none')} done in this session`,
  ];
  for (const { description, taskId } of state.learnings)
    lines.push(
      `learned    ${visibleLine(description)}${taskId === null ? '' : ` (task ${visibleLine(taskId)})`}`,
    );
  const open = state.learnings.length - state.flushedLearnings;
  if (open > 0) lines.push(`Learnings that are not in design.md: ${open}`);
  return lines.join('\n');
}
