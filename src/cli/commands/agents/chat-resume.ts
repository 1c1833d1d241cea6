import { counted, SessionNotFoundError, visibleLine } from '../../../foundation/index.js';
import {
  type Conversation,
  type ConversationDamage,
  type ConversationSessions,
  type ConversationSummary,
  isSameProject,
} from '../../../sessions/conversation/index.js';
import { type CommandContext, ConfirmationMissingError } from '../../command.js';
import { renderConversations } from '../../render/conversations.js';
import { renderFault } from '../../render/sessions.js';

interface ResumeWishes {
  /** An id, the start of one, or `last`. */
  readonly typed: string;
  /** Whether `last` may be a conversation of another project. */
  readonly isAnywhere: boolean;
  /** Whether to repair damage without asking. */
  readonly isRecovered: boolean;
}

/**
 * The conversation to continue, repaired if it was damaged; `deleted` if the person chose that instead. Throws
 * SESSION_NOT_FOUND after the list, CONFIRMATION_MISSING for damage that is left alone.
 */
export async function resumeConversation(
  context: CommandContext,
  conversations: ConversationSessions,
  { typed, isAnywhere, isRecovered }: ResumeWishes,
): Promise<Conversation | 'deleted'> {
  const { terminal } = context;
  const id = resolveId(context, conversations, typed, isAnywhere);
  const { isOk, records, damage } = conversations.verify(id);
  if (isOk) return conversations.hold(id);
  for (const one of damage.slice(0, MAX_TOLD)) terminal.complain(`damaged: ${renderFault(one)}`);
  if (damage.length > MAX_TOLD) terminal.complain(`… and ${damage.length - MAX_TOLD} more`);
  // A record cut off by a kill is no reason to ask: the next one to open the file sets it aside.
  if (records > 0 && isOnlyCutOff(damage)) return openMended(context, conversations, id);
  const wish = isRecovered ? 'recover' : await askWhatToDo(context, id);
  if (wish === 'leave')
    throw new ConfirmationMissingError(
      `${id} is damaged in ${counted(damage.length, 'place')}; nothing was changed`,
      {
        hint: `Continue with what is intact: --recover. What is damaged is set aside, never deleted.\nOr: holdfast sessions delete ${id}`,
      },
    );
  if (wish === 'delete') {
    const { path } = await conversations.remove(id);
    terminal.note(
      `Session '${id}' was moved to the trash: ${visibleLine(path)}\nPut it back with: holdfast sessions trash restore ${id}`,
    );
    return 'deleted';
  }
  const { kept, setAside } = await conversations.recover(id);
  terminal.note(
    `Kept ${counted(kept, 'record')}${setAside === null ? '' : `; the file as it was: ${visibleLine(setAside)}`}`,
  );
  return conversations.hold(id);
}

const MAX_TOLD = 10;
/** Longer than any record, so it cannot be a record that was cut off. */
const MAX_CUT_OFF = 32 * 1024 * 1024;

function isOnlyCutOff(damage: readonly ConversationDamage[]): boolean {
  return damage.every(({ reason, length }) => reason === 'torn' && length <= MAX_CUT_OFF);
}

async function openMended(
  { terminal }: CommandContext,
  conversations: ConversationSessions,
  id: string,
): Promise<Conversation> {
  const conversation = await conversations.hold(id);
  for (const { keptAt } of conversation.repairs)
    terminal.note(
      `The end of the file was cut off by a crash${keptAt === undefined ? '; it has been repaired' : ` and set aside: ${visibleLine(keptAt)}`}`,
    );
  return conversation;
}

function resolveId(
  context: CommandContext,
  conversations: ConversationSessions,
  typed: string,
  isAnywhere: boolean,
): string {
  const { terminal, services, isJson } = context;
  try {
    const isMeant = ({ workingDirectory }: ConversationSummary) =>
      isAnywhere || isSameProject(services, workingDirectory);
    return conversations.resolve(typed, isMeant);
  } catch (error) {
    if (error instanceof SessionNotFoundError && !isJson) {
      const known = conversations.list();
      if (known.length > 0)
        terminal.complain(
          renderConversations(known.slice(0, 20), terminal.errorStyle, { withProject: true }),
        );
    }
    throw error;
  }
}

type Wish = 'recover' | 'delete' | 'leave';
const WISHES: Readonly<Record<string, Wish>> = {
  '': 'recover',
  r: 'recover',
  recover: 'recover',
  d: 'delete',
  delete: 'delete',
  l: 'leave',
  leave: 'leave',
};

/** Asks for one of three answers until it gets one. Leaves the file alone if there is nobody to ask. */
async function askWhatToDo({ terminal }: CommandContext, id: string): Promise<Wish> {
  if (!terminal.isInteractive) return 'leave';
  terminal.note(
    'Recover keeps every intact record and sets the file as it was aside; delete moves it to the trash.',
  );
  for (;;) {
    const answer = await terminal.ask(`Session '${id}': [R]ecover, [d]elete or [l]eave? `);
    if (answer === null) return 'leave';
    const wish = WISHES[answer.trim().toLowerCase()];
    if (wish !== undefined) return wish;
    terminal.note('Type r, d or l; Enter alone recovers.');
  }
}
