import { openCatalog } from '../../../app/sessions/open-catalog.js';
import { deleteSession, type SessionSummary } from '../../../catalog/index.js';
import { shellWord, visibleExcerpt, visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { confirm, KIND_OPTION } from './session-kinds.js';

export const deleteCommand = defineCommand({
  operation: deleteSession,
  usage: 'sessions delete <session>',
  details:
    'Asks first. `holdfast sessions trash restore` puts it back. One that somebody has open is refused, as is a change\n' +
    'session that still holds its change. A question that is waiting for an answer can be deleted: its asker is told.',
  options: { yes: { type: 'boolean', about: 'do not ask' }, ...KIND_OPTION },
  examples: ['holdfast sessions delete session-2026', 'holdfast sessions delete 3f2a --yes'],
  async run(context, { positionals: [typed = ''], values }) {
    const { services, terminal, isJson } = context;
    const catalog = openCatalog(services);
    const session = await catalog.find(typed, values.kind);
    const summary = await catalog.summarize(session);
    if (!(await confirm(context, describeSession(summary), values.yes))) {
      terminal.write('Nothing was deleted.');
      return ExitCode.failed;
    }
    await perform(context, deleteSession, { catalog }, { session: session.id, kind: session.kind });
    const id = visibleLine(session.id);
    terminal.write(isJson ? visibleJson({ success: true, ...session }) : `Deleted ${session.kind} ${id}`);
    if (!isJson) terminal.note(`It is in the trash; put it back with: holdfast sessions trash restore ${id}`);
    if (!isJson) for (const words of worktreeNotes(summary)) terminal.note(words);
    return ExitCode.done;
  },
});

/** A worktree and its branch are left for the person to remove. */
function worktreeNotes({ repository, branch, workingDirectory }: SessionSummary): string[] {
  if (repository === undefined || branch === undefined || workingDirectory === null) return [];
  const git = `git -C ${shellWord(repository)}`;
  const commands = [
    `${git} worktree remove ${shellWord(workingDirectory)}`,
    `${git} branch -d ${shellWord(branch)}`,
  ];
  return [
    'Its worktree and branch are kept; to remove them:',
    ...commands.map((one) => `  ${visibleLine(one)}`),
  ];
}

function describeSession({ kind, id, status, title }: SessionSummary): string {
  const about = title === '' ? '' : `, ${visibleExcerpt(title, 60)}`;
  return `Delete ${kind} ${visibleLine(id)} (${status}${about})?`;
}
