import { terminalNotes } from '../../../app/base.js';
import {
  createTextFile,
  openAgents,
  openConversations,
  openPrices,
  openProcesses,
  readTextFile,
  type Services,
} from '../../../app/index.js';
import { counted, visibleLine } from '../../../foundation/index.js';
import { type ChatStart, type ChatWishes, chatStart } from '../../../run/turn/chat-start.js';
import {
  type Conversation,
  type ConversationSessions,
  placeConversation,
  UNKNOWN_AGENT,
} from '../../../sessions/conversation/index.js';
import type { ChatParty, ChatView } from '../../../tui/chat/index.js';
import type { OpenChatOptions } from '../../../tui/chat/open.js';
import { type CommandContext, defineCommand, type OptionValues, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { openNotices } from '../../open-notices.js';
import { ChatParties } from './chat-parties.js';
import { resumeConversation } from './chat-resume.js';
import {
  cleanConversations,
  deleteConversation,
  listConversations,
  tidyConversations,
} from './chat-sessions.js';
import { permissionMode } from './exec.js';

/** The options of `holdfast chat` and `aur spawn`. */
export const CHAT_OPTIONS = {
  agent: {
    type: 'string',
    value: '<name>',
    about: 'which agent (see `holdfast agents`); with --list-sessions a filter',
  },
  model: { type: 'string', value: '<name>', about: 'which model, as the agent calls it' },
  permissions: {
    type: 'string',
    value: '<mode>',
    about: 'edits (default), ask (a question in the inbox), or bypass',
  },
  session: { type: 'string', value: '<id>', about: 'a name of your own for the new conversation' },
  resume: {
    type: 'string',
    value: '[id]',
    about: 'continue a conversation: its id, the start of it, or `last` of this project (the default)',
  },
  here: { type: 'boolean', about: 'with --resume: move a conversation of another project to this directory' },
  recover: { type: 'boolean', about: 'with --resume: repair a damaged file first, without asking' },
  raw: { type: 'boolean', about: 'keep what is said unredacted, secrets included' },
  listSessions: { type: 'boolean', about: 'list conversations, most recently active first' },
  status: {
    type: 'string',
    value: '<status>',
    about: 'with --list-sessions: active, completed or interrupted',
    choices: ['active', 'completed', 'interrupted'],
  },
  limit: { type: 'number', value: '<count>', about: 'with --list-sessions: only this many' },
  deleteSession: { type: 'string', value: '<id>', about: 'move a conversation to the trash' },
  cleanSessions: {
    type: 'number',
    value: '<days>',
    about: 'move conversations without activity for this many days to the trash',
  },
  yes: { type: 'boolean', about: 'do not ask before deleting' },
} as const;

type ChatValues = OptionValues<typeof CHAT_OPTIONS>;

const chat = defineCommand({
  usage: 'chat [message]',
  summary: 'Talk to an agent; every turn is kept',
  details:
    'A message on the command line is sent first. Without a terminal every line of standard input is a message; with --json every line is {"content": "…"} and\n' +
    'events are printed as JSON. /help lists what can be typed. Ctrl+C cancels the turn, Ctrl+D leaves.',
  options: CHAT_OPTIONS,
  examples: [
    'holdfast chat --agent claude',
    'holdfast chat "what does this project do?"',
    'holdfast chat --resume',
    'holdfast chat --resume my-talk --here',
    'holdfast chat --list-sessions --agent qa-test --status interrupted',
    'echo "what does this project do?" | holdfast chat --agent codex',
  ],
  run: (context, { positionals: [first], values }) =>
    runChat(context, values, { title: 'Holdfast chat', first }),
});

export const commands = [chat];

interface ChatWay {
  readonly title: string;
  /** The first message. */
  readonly first?: string | undefined;
  /** Whether lists show the project of a conversation. Default: yes. */
  readonly hasProjects?: boolean;
}

/** Does whichever of its actions the chat command was asked for. */
export async function runChat(context: CommandContext, values: ChatValues, way: ChatWay): Promise<ExitCode> {
  const { services } = context;
  const chosen = [values.listSessions, values.deleteSession, values.cleanSessions].filter(
    (wish) => wish !== undefined && wish !== false,
  );
  if (chosen.length > 1)
    throw new UsageError('Use only one of --list-sessions, --delete-session and --clean-sessions');
  if (way.first !== undefined && chosen.length > 0)
    throw new UsageError('A message goes with a conversation, not with a list, a delete or a clean');
  const conversations = openConversations(services, { isRaw: values.raw });
  const held: string[] = [];
  try {
    if (values.listSessions)
      return listConversations(context, conversations, { ...values, hasProjects: way.hasProjects ?? true });
    if (values.deleteSession !== undefined)
      return await deleteConversation(context, conversations, values.deleteSession, values.yes);
    if (values.cleanSessions !== undefined)
      return await cleanConversations(context, conversations, values.cleanSessions);
    return await talk(context, conversations, values, { ...way, onHeld: (id) => held.push(id) });
  } finally {
    // After the command's own output, however it ended.
    if (!context.signal.aborted) await tidyConversations(context, held);
  }
}

async function talk(
  context: CommandContext,
  conversations: ConversationSessions,
  values: ChatValues,
  way: ChatWay & { readonly onHeld: (id: string) => void },
): Promise<ExitCode> {
  const { services, terminal, signal, isJson } = context;
  const permissions = values.permissions === undefined ? undefined : permissionMode(values.permissions);
  const resumed =
    values.resume === undefined
      ? undefined
      : await resumeConversation(context, conversations, {
          typed: values.resume === '' ? 'last' : values.resume,
          isAnywhere: values.here,
          isRecovered: values.recover,
        });
  if (resumed === 'deleted') return ExitCode.done;
  const prepared = prepare(services, { ...values, permissions }, resumed);
  const priceOf = await openPrices(services);
  await using notices = await openNotices(context);
  const { onHeld } = way;
  using parties = new ChatParties(context, { conversations, priceOf, onHeld, onAsked: () => notices.ring() });
  const openParty = async () =>
    resumed === undefined
      ? parties.begin(prepared, values.session)
      : parties.continue(prepared, resumed, prepared.workingDirectory);
  const options = {
    // The model belonged to the previous agent.
    startWith: (agent: string) =>
      parties.begin({ agent, model: undefined, permissions: prepared.permissions }),
    readFile: (path: string) => readTextFile(services, path),
    createFile: (path: string, text: string) => createTextFile(services, path, text),
    first: way.first,
    style: terminal.style,
    signal,
    onOpen(view: ChatView) {
      parties.show(view);
      for (const note of prepared.notes) view.note(note);
    },
  };
  const talk = { ...options, openParty, resumed };
  if (terminal.isInteractive && !isJson)
    return await talkOnScreen(context, { ...talk, title: way.title, onSeen: notices.noteSeen });
  // Awaited, so that what is held here is let go only when the chat is over.
  return await talkInLines(context, talk);
}

/** What both ways of talking need. */
interface Talk
  extends Pick<
    OpenChatOptions,
    'startWith' | 'readFile' | 'createFile' | 'first' | 'style' | 'signal' | 'onOpen'
  > {
  readonly openParty: () => Promise<ChatParty>;
  readonly resumed: Conversation | undefined;
}

async function talkOnScreen(
  { services, terminal, signal }: CommandContext,
  {
    openParty,
    resumed,
    title,
    ...options
  }: Talk & Pick<OpenChatOptions, 'onSeen'> & { readonly title: string },
): Promise<ExitCode> {
  const noting = terminalNotes(services);
  const { openChat } = await import('../../../tui/chat/open.js');
  const noteTerminal = await noting;
  const party = await openParty();
  const { stdin, stdout, stderr } = process;
  await openChat({
    ...options,
    party,
    stdin,
    stdout,
    stderr,
    noteTerminal,
    hasColor: terminal.hasColor,
    questions: services.questions,
    banner: banner(title, party, resumed),
    isResumed: resumed !== undefined,
  });
  return signal.aborted ? ExitCode.interrupted : ExitCode.done;
}

async function talkInLines(
  { terminal, signal, isJson }: CommandContext,
  { openParty, resumed, ...options }: Talk,
): Promise<ExitCode> {
  const { openChat } = await import('../../../tui/chat/plain.js');
  const { stdin, stdout, stderr } = terminal.streams;
  const { path, isAllAnswered } = await openChat({
    ...options,
    party: openParty,
    stdin: stdin(),
    stdout,
    stderr,
    isJson,
    // With the message on the command line, nobody should have to end the input at the keyboard.
    readsInput: options.first === undefined || !terminal.hasKeyboard,
  });
  if (path === null) {
    resumed?.[Symbol.dispose]();
    if (signal.aborted) return ExitCode.interrupted;
    throw new UsageError('No message came on standard input', {
      hint: 'Each line of it is a message: echo "…" | holdfast chat. In a terminal, leave standard input as it is.',
    });
  }
  if (!isJson) terminal.note(`Saved: ${visibleLine(path)}`);
  if (signal.aborted) return ExitCode.interrupted;
  return isAllAnswered ? ExitCode.done : ExitCode.failed;
}

/** How the agent is started and where the conversation belongs. Reports mistakes before anybody types. */
function prepare(
  services: Services,
  values: ChatWishes & { readonly here: boolean },
  resumed: Conversation | undefined,
): ChatStart & { readonly workingDirectory: string } {
  try {
    const { notes, ...start } = chatStart(() => openProcesses(services), values, resumed);
    if (resumed !== undefined && start.agent === UNKNOWN_AGENT)
      throw new UsageError(`Nothing in ${resumed.id} says which agent it was with`, {
        hint: `Name one: ${services.tools.command} --resume ${resumed.id} --agent <name> (\`holdfast agents\` lists them)`,
      });
    const place =
      resumed === undefined
        ? { workingDirectory: services.workingDirectory, notes: [] }
        : placeConversation(services, resumed, { isHere: values.here });
    openAgents(services).choose(start.agent);
    return { ...start, workingDirectory: place.workingDirectory, notes: [...place.notes, ...notes] };
  } catch (error) {
    resumed?.[Symbol.dispose]();
    throw error;
  }
}

function banner(title: string, party: ChatParty, resumed: Conversation | undefined): string[] {
  const lines = [title, `Agent: ${party.agent}   Session: ${party.conversation.id}`];
  if (resumed !== undefined) {
    const { turnCount, status } = resumed.view;
    if (status === 'completed') lines.push('Resuming completed session');
    lines.push(`Resumed with ${counted(turnCount, 'turn')}.`);
  }
  return [...lines, 'Type /help for commands, /exit to quit'];
}
