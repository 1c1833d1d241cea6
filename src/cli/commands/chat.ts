import {
  chooseAgent,
  cleanAutomatically,
  conversationPath,
  openConversations,
  openPrices,
  readTextFile,
  turnTaker,
  writeTextFile,
} from '../../app/index.js';
import { counted, SessionNotFoundError, visibleLine } from '../../foundation/index.js';
import type { Conversation, ConversationSessions } from '../../sessions/conversation/index.js';
import { type ChatParty, type ChatView, describeContinuation } from '../../tui/chat/index.js';
import { cleanConversations, deleteConversation, listConversations } from '../chat-sessions.js';
import {
  type CommandContext,
  ConfirmationMissingError,
  defineCommand,
  type OptionValues,
  UsageError,
} from '../command.js';
import { ExitCode } from '../exit-codes.js';
import { questionNotes } from '../question-notes.js';
import { renderConversations } from '../render/conversations.js';
import { permissionMode } from './exec.js';

/** The options of `holdfast chat`, which `aur spawn` has as well. */
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
    value: '<id>',
    about: 'go on with a conversation: its id, the start of it, or `last`',
  },
  recover: { type: 'boolean', about: 'with --resume: mend a damaged file first, without asking' },
  raw: { type: 'boolean', about: 'keep what is said as it is, secrets included' },
  listSessions: { type: 'boolean', about: 'list conversations, newest first' },
  status: {
    type: 'string',
    value: '<status>',
    about: 'with --list-sessions: active, completed or interrupted',
  },
  deleteSession: { type: 'string', value: '<id>', about: 'delete a conversation' },
  cleanSessions: {
    type: 'number',
    value: '<days>',
    about: 'delete conversations without activity for so long',
  },
  yes: { type: 'boolean', about: 'do not ask before deleting' },
} as const;

type ChatValues = OptionValues<typeof CHAT_OPTIONS>;

export default defineCommand({
  usage: 'chat',
  summary: 'Talk with an agent; every turn is kept',
  details:
    'Without a terminal every line of standard input is a message; with --json every line is {"content": "…"} and\n' +
    'events are printed as JSON. /help lists what can be typed. Ctrl+C cancels the turn, Ctrl+D leaves.',
  options: CHAT_OPTIONS,
  examples: [
    'holdfast chat --agent claude',
    'holdfast chat --resume last',
    'holdfast chat --list-sessions --agent qa-test --status interrupted',
    'echo "what does this project do?" | holdfast chat --agent codex',
  ],
  run: (context, { values }) => runChat(context, values, 'Holdfast chat'),
});

/** One of the things a chat command can do. */
export async function runChat(context: CommandContext, values: ChatValues, title: string): Promise<ExitCode> {
  const { services } = context;
  const chosen = [values.listSessions, values.deleteSession, values.cleanSessions].filter(
    (wish) => wish !== undefined && wish !== false,
  );
  if (chosen.length > 1)
    throw new UsageError('One of --list-sessions, --delete-session and --clean-sessions, not several');
  const conversations = openConversations(services, { isRaw: values.raw });
  if (values.listSessions) return listConversations(context, conversations, values);
  if (values.deleteSession !== undefined)
    return deleteConversation(context, conversations, values.deleteSession, values.yes);
  if (values.cleanSessions !== undefined)
    return cleanConversations(context, conversations, values.cleanSessions);
  const code = await talk(context, conversations, values, title);
  await cleanAutomatically(services);
  return code;
}

async function talk(
  context: CommandContext,
  conversations: ConversationSessions,
  values: ChatValues,
  title: string,
): Promise<ExitCode> {
  const { services, terminal, signal, isJson } = context;
  const permissions = permissionMode(values.permissions);
  let view: ChatView | undefined;
  const priceOf = await openPrices(services);
  const notes = questionNotes(services, (text) => view?.note(text));
  const partyOf = (agentName: string | undefined, conversation: Conversation): ChatParty => {
    const agent = chooseAgent(services, agentName);
    const taker = turnTaker(services, agent, conversation, {
      permissions,
      model: values.model,
      priceOf,
      onAsked: notes.onAsked,
      onContinuation: (continuation) => {
        const words = describeContinuation(continuation);
        if (words !== undefined) view?.note(words);
      },
    });
    return { agent: agent.name, conversation, path: conversationPath(services, conversation.id), taker };
  };
  const startWith = async (name: string | undefined, id?: string): Promise<ChatParty> => {
    const agent = chooseAgent(services, name);
    const { workingDirectory } = services;
    return partyOf(agent.name, await conversations.create({ id, agent: agent.name, workingDirectory }));
  };
  const resumed = values.resume === undefined ? undefined : await resume(context, conversations, values);
  chooseAgent(services, values.agent ?? resumed?.metadata.agent); // what is wrong is said before anybody types
  const openParty = async () =>
    resumed === undefined
      ? startWith(values.agent, values.session)
      : partyOf(values.agent ?? resumed.metadata.agent, resumed);
  const options = {
    startWith,
    onEvent: notes.onEvent,
    readFile: (path: string) => readTextFile(services, path),
    writeFile: (path: string, text: string) => writeTextFile(services, path, text),
    style: terminal.style,
    signal,
    onOpen: (opened: ChatView) => {
      view = opened;
    },
  };
  if (terminal.isInteractive && !isJson) {
    const { openChat } = await import('../../tui/chat/open.js');
    const party = await openParty();
    await openChat({
      ...options,
      party,
      stdin: process.stdin,
      stdout: process.stdout,
      banner: banner(title, party, resumed),
    });
    return signal.aborted ? ExitCode.interrupted : ExitCode.done;
  }
  const { openChat } = await import('../../tui/chat/plain.js');
  const { stdin, stdout, stderr } = process;
  const { path, isAllAnswered } = await openChat({
    ...options,
    party: openParty,
    stdin,
    stdout,
    stderr,
    isJson,
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

function banner(title: string, party: ChatParty, resumed: Conversation | undefined): string[] {
  const lines = [title, `Agent: ${party.agent}   Session: ${party.conversation.id}`];
  if (resumed !== undefined) {
    const { turnCount, status } = resumed.view;
    if (status === 'completed') lines.push('Resuming completed session');
    lines.push(`Resumed with ${counted(turnCount, 'turn')}.`);
  }
  return [...lines, 'Type /help for commands, /exit to quit'];
}

/** The conversation to go on with, mended where it is damaged. */
async function resume(
  context: CommandContext,
  conversations: ConversationSessions,
  values: ChatValues,
): Promise<Conversation> {
  const { terminal } = context;
  let id: string;
  try {
    id = conversations.resolve(values.resume ?? 'last');
  } catch (error) {
    if (error instanceof SessionNotFoundError && !context.isJson) {
      const known = conversations.list();
      if (known.length > 0) terminal.complain(renderConversations(known.slice(0, 20), terminal.errorStyle));
    }
    throw error;
  }
  const { isOk, damage } = conversations.verify(id);
  if (!isOk) {
    for (const { line, offset, detail } of damage.slice(0, 10))
      terminal.complain(
        `damaged: ${line === null ? '' : `line ${line}, `}offset ${offset}: ${visibleLine(detail)}`,
      );
    if (!values.recover && !(await wantsRecovery(context, id))) {
      throw new ConfirmationMissingError(
        `${id} is damaged in ${counted(damage.length, 'place')}; nothing was changed`,
        {
          hint: 'Go on with what is intact: --recover. What is damaged is set aside, never deleted.',
        },
      );
    }
    const report = await conversations.recover(id);
    terminal.note(
      `Kept ${counted(report.kept, 'record')}${report.setAside === null ? '' : `; the file as it was: ${visibleLine(report.setAside)}`}`,
    );
  }
  return conversations.open(id);
}

async function wantsRecovery({ terminal }: CommandContext, id: string): Promise<boolean> {
  if (!terminal.isInteractive) return false;
  const answer = await terminal.ask(`Recover session '${id}'? What is damaged is set aside. [Y/n] `);
  return answer !== null && !/^n/i.test(answer.trim());
}
