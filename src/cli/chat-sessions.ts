import { cleanAutomatically } from '../app/index.js';
import { retain } from '../catalog/index.js';
import { counted, visibleExcerpt, visibleJson, visibleLine } from '../foundation/index.js';
import type { ConversationSessions, ConversationStatus } from '../sessions/conversation/index.js';
import { type CommandContext, ConfirmationMissingError, UsageError } from './command.js';
import { ExitCode } from './exit-codes.js';
import { renderConversations } from './render/conversations.js';

const STATUSES: readonly string[] = ['active', 'completed', 'interrupted'];
const DAY_MS = 24 * 60 * 60 * 1_000;

/** `--list-sessions`: what was said, newest first. */
export async function listConversations(
  { terminal, isJson }: CommandContext,
  conversations: ConversationSessions,
  filter: {
    readonly agent?: string | undefined;
    readonly status?: string | undefined;
    /** Whether the table says where each belongs; the published one does not. */
    readonly hasProjects: boolean;
    readonly limit?: number | undefined;
  },
): Promise<ExitCode> {
  if (filter.status !== undefined && !STATUSES.includes(filter.status))
    throw new UsageError(`--status is ${STATUSES.join(', ')}, not ${visibleExcerpt(filter.status, 40)}`);
  const all = conversations.list({
    ...(filter.agent === undefined ? {} : { agent: filter.agent }),
    ...(filter.status === undefined ? {} : { status: filter.status as ConversationStatus }),
  });
  const found = all.slice(0, filter.limit);
  if (isJson) {
    terminal.write(
      visibleJson(
        found.map(
          ({
            id,
            agent,
            turnCount,
            createdAt,
            status,
            lastActivity,
            isDamaged,
            isChecked,
            workingDirectory,
          }) => ({
            session_id: id,
            agent,
            turn_count: turnCount,
            created_at: createdAt,
            status,
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
  if (filter.agent !== undefined || filter.status !== undefined)
    terminal.note(counted(all.length, 'session'));
  if (found.length < all.length) terminal.note(moreWords(all.length - found.length));
  return ExitCode.done;
}

/** What is said where a limit cut a list. */
export function moreWords(count: number): string {
  return `… and ${count} more; without --limit all are listed`;
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

/** `--delete-session`: after a yes. */
export async function deleteConversation(
  { terminal, isJson }: CommandContext,
  conversations: ConversationSessions,
  typed: string,
  isSure: boolean,
): Promise<ExitCode> {
  const id = conversations.resolve(typed);
  if (!isSure) {
    if (!terminal.isInteractive)
      throw new ConfirmationMissingError(`Delete session '${id}'?`, { hint: 'Say so with --yes.' });
    const answer = await terminal.ask(`Delete session '${id}'? [y/N] `);
    if (answer === null || !/^y/i.test(answer.trim())) {
      terminal.write('Nothing was deleted.');
      return ExitCode.failed;
    }
  }
  const { path } = await conversations.remove(id);
  terminal.write(
    isJson
      ? visibleJson({ success: true, session_id: id, trash: path })
      : `Deleted session '${id}' (moved to the trash: ${visibleLine(path)})`,
  );
  if (!isJson) terminal.note(`Put it back with: holdfast sessions trash restore ${id}`);
  return ExitCode.done;
}

/** `--clean-sessions`: everything older, except what is live. */
export async function cleanConversations(
  { services, terminal, isJson }: CommandContext,
  conversations: ConversationSessions,
  days: number,
): Promise<ExitCode> {
  if (!(days >= 0)) throw new UsageError('--clean-sessions takes a number of days');
  const options = { olderThanMs: days * DAY_MS };
  const { uncollected: _, ...report } = await retain(conversations, services.tools, options);
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
