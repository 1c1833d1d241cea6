import { cleanAutomatically } from '../../../app/index.js';
import { cleanOldConversations } from '../../../catalog/index.js';
import { counted, visibleJson, visibleLine } from '../../../foundation/index.js';
import {
  type ConversationSessions,
  deleteConversation as deleteIt,
  listConversations as listThem,
} from '../../../sessions/conversation/index.js';
import { type CommandContext, ConfirmationMissingError, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { renderConversations } from '../../render/conversations.js';
import { moreWords } from '../../render/table.js';
import { saysYes } from '../../says-yes.js';

/** `--list-sessions`: the conversations, newest first. */
export async function listConversations(
  context: CommandContext,
  conversations: ConversationSessions,
  filter: {
    readonly agent?: string | undefined;
    readonly status?: 'active' | 'completed' | 'interrupted' | undefined;
    /** Whether the table shows each one's project; the published table does not. */
    readonly hasProjects: boolean;
    readonly limit?: number | undefined;
  },
): Promise<ExitCode> {
  const { terminal, isJson } = context;
  const { agent, status } = filter;
  const all = await perform(context, listThem, { conversations }, { agent, status });
  const found = all.slice(0, filter.limit);
  if (isJson) {
    terminal.write(
      visibleJson(
        found.map(
          ({
            id,
            agent: by,
            turnCount,
            createdAt,
            status: state,
            lastActivity,
            isDamaged,
            isChecked,
            workingDirectory,
          }) => ({
            session_id: id,
            agent: by,
            turn_count: turnCount,
            created_at: createdAt,
            status: state,
            last_activity: lastActivity,
            damaged: isDamaged,
            checked: isChecked,
            project: workingDirectory,
          }),
        ),
      ),
    );
    return ExitCode.done;
  }
  if (found.length === 0) terminal.write('No sessions found.');
  else terminal.write(renderConversations(found, terminal.style, { withProject: filter.hasProjects }));
  if (agent !== undefined || status !== undefined) terminal.note(counted(all.length, 'session'));
  if (found.length < all.length) terminal.note(moreWords(all.length - found.length));
  return ExitCode.done;
}

/** What automatic cleaning did, if it did anything; never fails. */
export async function tidyConversations(
  { services, terminal }: CommandContext,
  except: readonly string[],
): Promise<void> {
  const cleaned = await cleanAutomatically(services, { except });
  if (cleaned === undefined || cleaned.retired.length === 0) return;
  const { retired, expiryDays, isComplete } = cleaned;
  terminal.complain(
    `Moved ${counted(retired.length, 'conversation')} without activity for ${counted(expiryDays, 'day')} to the trash${isComplete ? '' : ' (more next time)'}; ` +
      'list them: holdfast sessions trash, put one back: holdfast sessions trash restore <id>',
  );
}

/** `--delete-session`: asks for confirmation first. */
export async function deleteConversation(
  context: CommandContext,
  conversations: ConversationSessions,
  typed: string,
  isSure: boolean,
): Promise<ExitCode> {
  const { terminal, isJson } = context;
  const id = conversations.resolve(typed);
  if (!isSure) {
    if (!terminal.isInteractive)
      throw new ConfirmationMissingError(`Delete session '${id}'?`, { hint: 'Confirm with --yes.' });
    if (!(await saysYes(terminal, `Delete session '${id}'?`))) {
      terminal.write('Nothing was deleted.');
      return ExitCode.failed;
    }
  }
  const { path } = await perform(context, deleteIt, { conversations }, { session: id });
  terminal.write(
    isJson
      ? visibleJson({ success: true, session_id: id, trash: path })
      : `Deleted session '${id}' (moved to the trash: ${visibleLine(path)})`,
  );
  if (!isJson) terminal.note(`Put it back with: holdfast sessions trash restore ${id}`);
  return ExitCode.done;
}

/** `--clean-sessions`: moves everything older to the trash, except what is live. */
export async function cleanConversations(
  context: CommandContext,
  conversations: ConversationSessions,
  days: number,
): Promise<ExitCode> {
  const { terminal, isJson } = context;
  if (!(days >= 0)) throw new UsageError('--clean-sessions takes a number of days');
  const parts = { conversations, ...context.services.tools };
  const report = await perform(context, cleanOldConversations, parts, { olderThanDays: days });
  if (isJson) terminal.write(visibleJson({ success: true, ...report }));
  else {
    const { length } = report.retired;
    terminal.write(`Deleted ${counted(length, 'session')} older than ${counted(days, 'day')}`);
    if (length > 0)
      terminal.note('Moved to the trash; put one back with: holdfast sessions trash restore <id>');
    for (const { id, reason } of report.skipped)
      terminal.complain(`left alone: ${id}: ${visibleLine(reason)}`);
  }
  return ExitCode.done;
}
