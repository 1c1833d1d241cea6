import { counted, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { ProcessInfo } from '../../sessions/process/index.js';
import { formatAge } from '../duration.js';
import { processesInWords } from '../log-words.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

/** Agent processes as a table. */
export function renderProcessList(infos: readonly ProcessInfo[], now: Date, style: Style): string {
  const rows = infos.map((info) => [
    info.id.slice(0, 12),
    standingInWords(info),
    formatAge(now.getTime() - Date.parse(info.lastActivity)),
    String(info.promptCount),
    `${info.contextUsage} %`,
    visibleExcerpt(info.agent, 20),
    visibleExcerpt(info.launch.workingDirectory, 40),
  ]);
  return renderTable(['ID', 'STATE', 'ACTIVE', 'PROMPTS', 'CONTEXT', 'AGENT', 'DIRECTORY'], rows, style);
}

/** One agent process in full. */
export function renderProcess(info: ProcessInfo, style: Style): string {
  const { launch } = info;
  const lines = [
    `${style.bold(info.id)}  ${standingInWords(info)}`,
    `agent      ${visibleLine(info.agent)} (${visibleLine(launch.driver)} driver)`,
    `command    ${visibleLine([launch.command, ...launch.args].join(' '))}`,
    `directory  ${visibleLine(launch.workingDirectory)}`,
    `launched   permissions ${visibleLine(launch.permissions)}, model ${visibleLine(launch.model ?? 'its own choice')}`,
    `created    ${info.createdAt}, last active ${info.lastActivity}`,
    `work       ${counted(info.promptCount, 'prompt')}, ${(info.totalExecutionMs / 1_000).toFixed(1)} s, context ${info.contextUsage} % full`,
  ];
  if (info.openPrompt !== null && info.standing !== 'live') {
    lines.push(
      style.yellow(
        `open       prompt ${info.openPrompt.number}, sent ${info.openPrompt.sentAt}, has no recorded answer`,
      ),
    );
  }
  if (info.ended !== null)
    lines.push(`ended      ${info.ended.at}: ${visibleLine(info.ended.reason)}${exitOf(info)}`);
  if (info.leftBehind !== undefined)
    lines.push(
      style.yellow(`left       may have left processes behind: ${processesInWords(info.leftBehind)}`),
    );
  if (info.standing === 'interrupted' || info.standing === 'resumable')
    lines.push('', `Continue it: holdfast exec --session ${info.id} "…"`);
  return lines.join('\n');
}

function standingInWords({ standing, state }: ProcessInfo): string {
  return standing === 'live' || standing === 'over' ? state : standing;
}

function exitOf({ ended }: ProcessInfo): string {
  if (ended?.signal) return ` (${ended.signal})`;
  return ended === null || ended.exitCode === null ? '' : ` (exit code ${ended.exitCode})`;
}
