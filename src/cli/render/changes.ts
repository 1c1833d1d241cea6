import { visibleBlock, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type {
  ChangeDetailReport,
  ChangeReport,
  ContextReport,
  ProgressReport,
  StartedReport,
} from '../../sessions/change/index.js';
import { formatAge } from '../duration.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

/** Changes as a table. */
export function renderChangeList(reports: readonly ChangeReport[], now: Date, style: Style): string {
  if (reports.length === 0) return 'There are no changes.';
  const rows = reports.map((report) => [
    visibleExcerpt(report.name, 40),
    report.status,
    `${report.tasks_done}/${report.tasks_total}`,
    `${report.stories_done}/${report.stories_total}`,
    holderOf(report),
    report.session === null ? '' : formatAge(now.getTime() - Date.parse(report.session.created_at)),
  ]);
  return renderTable(['CHANGE', 'STATUS', 'TASKS', 'STORIES', 'SESSION', 'AGE'], rows, style);
}

/** One change in full. */
export function renderChange(report: ChangeDetailReport, style: Style): string {
  const lines = [
    `${style.bold(visibleLine(report.name))}  ${report.status}, ${report.tasks_done}/${report.tasks_total} tasks`,
  ];
  if (report.session !== null)
    lines.push(`held by session ${report.session.session_id} since ${report.session.created_at}`);
  if (report.fault !== null) lines.push(style.yellow(`damaged: ${visibleLine(report.fault)}`));
  for (const story of report.stories) {
    const mark = story.id === report.session?.current_story_id ? '  (in scope)' : '';
    lines.push('', `${story.id}. ${style.bold(visibleLine(story.title))}${mark}`);
    for (const task of story.tasks) lines.push(taskLine(task, task.depth));
  }
  if (report.learnings.length > 0) lines.push('', ...learningLines(report.learnings));
  for (const ended of report.ended) lines.push(endedLine(ended));
  return lines.join('\n');
}

/** A session that was just started. */
export function renderStart(report: StartedReport): string {
  const rows = report.stories.map((story) => [
    story.id,
    `${story.tasks_done}/${story.tasks_total}`,
    visibleExcerpt(story.title, 60),
  ]);
  const head = `Session ${report.session_id} holds ${report.change_name}`;
  return rows.length === 0 ? head : `${head}\n\n${renderTable(['STORY', 'TASKS', 'TITLE'], rows)}`;
}

/** How far the story in scope and the change are. */
export function renderProgress({ story, change, change_complete }: ProgressReport): string {
  const done = change_complete ? ' (complete)' : '';
  const lines = [`change: ${change.stories_done}/${change.stories_total} stories${done}`];
  if (story !== null) lines.unshift(`story ${story.id}: ${story.tasks_done}/${story.tasks_total} tasks`);
  return lines.join('\n');
}

/** Everything about a story but proposal and design, which are too long to be read here. */
export function renderContext(report: ContextReport, style: Style): string {
  const lines = [`${report.story.id}. ${style.bold(visibleLine(report.story.title))}`];
  for (const task of report.tasks) lines.push(taskLine(task, 0));
  for (const scenario of report.scenarios) {
    lines.push(
      '',
      `${style.bold(visibleLine(scenario.name))}  ${style.dim(visibleLine(scenario.requirement))}`,
    );
    for (const { keyword, text } of scenario.steps)
      lines.push(`  ${keyword} ${visibleBlock(text).replaceAll('\n', '\n    ')}`);
  }
  if (report.learnings.length > 0) lines.push('', ...learningLines(report.learnings));
  const commands = [...report.verify.checks, report.verify.tests].filter((command) => command !== '');
  if (commands.length > 0) lines.push('', `checks: ${commands.join(', ')}`);
  return lines.join('\n');
}

function holderOf(report: ChangeReport): string {
  if (report.fault !== null) return '(damaged)';
  return report.session === null ? '' : visibleExcerpt(report.session.session_id, 20);
}

function taskLine(task: { id: string; description: string; complete: boolean }, depth: number): string {
  const box = task.complete ? '[x]' : '[ ]';
  return `${'  '.repeat(depth + 1)}${box} ${task.id} ${visibleExcerpt(task.description, 100)}`;
}

function learningLines(learnings: readonly { description: string; task_id: string | null }[]): string[] {
  return learnings.map(({ description, task_id }) => {
    const task = task_id === null ? '' : ` (task ${visibleLine(task_id)})`;
    return `learned: ${visibleLine(description)}${task}`;
  });
}

function endedLine(ended: ChangeDetailReport['ended'][number]): string {
  const reason = ended.release_reason === null ? '' : `: ${visibleLine(ended.release_reason)}`;
  const open =
    ended.unflushed_learnings === 0 ? '' : `; learnings not in design.md: ${ended.unflushed_learnings}`;
  return `earlier: session ${ended.session_id}, ${ended.status} ${ended.ended_at}${reason}${open}`;
}
