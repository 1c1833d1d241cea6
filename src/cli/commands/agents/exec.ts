import {
  type AgentEvent,
  describeEvent,
  type PermissionMode,
  type TurnEndReason,
} from '../../../agents/index.js';
import { launchOf, openAgents, openProcesses } from '../../../app/index.js';
import {
  counted,
  throwIfAborted,
  visibleExcerpt,
  visibleJson,
  visibleLine,
} from '../../../foundation/index.js';
import {
  isOver,
  type ProcessSession,
  type PromptResponse,
  PromptTimedOutError,
} from '../../../sessions/process/index.js';
import { cardLines } from '../../../sessions/question/index.js';
import { type AgentWords, agentWords } from '../../agent-words.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { parseDuration } from '../../duration.js';
import { ExitCode } from '../../exit-codes.js';
import type { Terminal } from '../../terminal.js';
import { type QuestionNotes, questionNotes, whereToAnswer } from './question-notes.js';

const exec = defineCommand({
  usage: 'exec [prompt]',
  summary: 'Run one prompt with an agent',
  details:
    'The answer is streamed to stdout, everything else to stderr; --json prints one event per line. The prompt comes\n' +
    'from the argument or from standard input. Ctrl+C ends the turn and the whole process tree of the agent.',
  options: {
    agent: { type: 'string', value: '<name>', about: 'which agent (see `holdfast agents`)' },
    model: { type: 'string', value: '<name>', about: 'which model, as the agent calls it' },
    permissions: {
      type: 'string',
      value: '<mode>',
      about: 'edits (default), ask (a question in the inbox), or bypass',
    },
    timeout: { type: 'string', value: '<duration>', about: 'end the turn after this long, such as 10m' },
    idle: {
      type: 'string',
      value: '<duration>',
      about: 'end the turn when the agent is silent for this long',
    },
    session: { type: 'string', value: '<id>', about: 'continue this session (see `holdfast processes`)' },
    acceptChanges: {
      type: 'boolean',
      about: 'continue even though the agent would be started differently than before',
    },
  },
  examples: [
    'holdfast exec --agent claude "explain this repository"',
    'git diff | holdfast exec --agent codex "review the diff on standard input: $(cat)"',
    'holdfast exec --session ses_3f2a "and now the tests"',
    'holdfast exec --agent gemini --json "write a test for parse.ts" | jq -c .',
  ],
  async run(context, { positionals: [given], values }) {
    const { services, terminal, signal, isJson } = context;
    const permissions = values.permissions === undefined ? undefined : permissionMode(values.permissions);
    const prompt = given === undefined || given === '-' ? await readPrompt(terminal, signal) : given;
    if (prompt.trim() === '') throw new UsageError('The prompt is empty');
    const limits = {
      ...(values.timeout === undefined ? {} : { promptMs: parseDuration(values.timeout) }),
      ...(values.idle === undefined ? {} : { idleMs: parseDuration(values.idle) }),
    };
    const words = agentWords(terminal);
    using notes = questionNotes(services, (view) => {
      words.pause();
      terminal.note(isJson ? whereToAnswer(view) : `${cardLines(view).join('\n')}\n${whereToAnswer(view)}`);
    });
    const session = await openSession(context, { ...values, permissions, notes });
    try {
      const response = await session.execute(prompt, {
        ...limits,
        signal,
        onEvent: (event) => {
          if (isJson) terminal.write(visibleJson(event));
          else show(terminal, words, event);
        },
      });
      words.end();
      await session.detach({ isUrgent: signal.aborted });
      tellEnd(context, session, response);
      return signal.aborted ? ExitCode.interrupted : exitCodeOf(response.reason);
    } catch (error) {
      words.end();
      if (error instanceof PromptTimedOutError) {
        await session.detach({ isUrgent: true });
        tellEnd(context, session, error.response);
      }
      throw error;
    } finally {
      await session.detach({ isUrgent: true });
    }
  },
});

export const commands = [exec];

interface SessionWishes {
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly permissions: PermissionMode | undefined;
  readonly acceptChanges: boolean;
  readonly notes: QuestionNotes;
}

/** A new session, or the one to continue. */
async function openSession(
  { services, terminal, signal }: CommandContext,
  wishes: SessionWishes,
): Promise<ProcessSession> {
  const processes = openProcesses(services);
  const id = wishes.session === undefined ? undefined : processes.resolve(wishes.session);
  const before = id === undefined ? undefined : processes.get(id);
  const agent = openAgents(services).chooseInstalled(wishes.agent ?? before?.agent);
  const launch = launchOf(services, agent, {
    permissions: permissionsOf(terminal, wishes.permissions, before?.launch.permissions),
    model: wishes.model ?? before?.launch.model ?? undefined,
    askerSession: wishes.notes.askerSession,
    isAttended: terminal.isInteractive,
  });
  throwIfAborted(signal, 'The start of the agent');
  terminal.note(terminal.style.dim(`${agent.name} in ${visibleLine(services.workingDirectory)}`));
  if (before?.openPrompt != null && before.standing === 'interrupted')
    terminal.note(
      `Prompt ${before.openPrompt.number} of this session was interrupted; it is not sent again.`,
    );
  return id === undefined
    ? processes.create(launch)
    : processes.reopen(id, launch, { acceptsChanges: wishes.acceptChanges });
}

/** The same permissions as before unless typed; `bypass` counts only if it is typed again. */
function permissionsOf(
  terminal: Terminal,
  said: PermissionMode | undefined,
  before: string | undefined,
): PermissionMode {
  if (said !== undefined) return said;
  if (before === 'bypass') terminal.note('--permissions bypass is not reused; type it again if you want it.');
  return before === 'ask' ? 'ask' : 'edits';
}

/** Shows the result, how to continue, and where to look if something went wrong. */
function tellEnd({ terminal, isJson }: CommandContext, session: ProcessSession, response: PromptResponse) {
  if (!isJson) terminal.note(terminal.style.dim(summary(session, response)));
  if (response.reason !== 'completed' && session.outputPath !== null)
    terminal.note(`What the agent wrote: ${visibleLine(session.outputPath)}`);
}

function summary(session: ProcessSession, response: PromptResponse): string {
  const facts = [
    ...(response.changes === null ? [] : [`${counted(response.filesChanged, 'file')} changed`]),
    ...(response.testsPassed === null ? [] : [response.testsPassed ? 'tests passed' : 'tests failed']),
    `context ${response.contextUsage} % full`,
  ];
  const canGoOn = session.record.resume !== null && !isOver(session.state);
  return `${facts.join(', ')}${canGoOn ? `; continue: holdfast exec --session ${session.id} "…"` : ''}`;
}

/** The mode of a permission option. Throws USAGE. */
export function permissionMode(text: string | undefined): 'edits' | 'ask' | 'bypass' {
  if (text === undefined || text === 'edits') return 'edits';
  if (text === 'ask' || text === 'bypass') return text;
  throw new UsageError('--permissions is edits, ask or bypass');
}

function exitCodeOf(reason: TurnEndReason): ExitCode {
  if (reason === 'completed') return ExitCode.done;
  return reason === 'rate-limited' || reason === 'turn-limit' ? ExitCode.limitReached : ExitCode.failed;
}

async function readPrompt(terminal: Terminal, signal: AbortSignal): Promise<string> {
  if (terminal.hasKeyboard)
    throw new UsageError('No prompt given', { hint: 'Give it as an argument: see `holdfast exec --help`.' });
  return terminal.readStandardInput(signal);
}

function show(terminal: Terminal, words: AgentWords, event: AgentEvent): void {
  if (event.type === 'text') words.push(event.text);
  const note = describeEvent(event);
  if (note !== undefined) {
    words.pause();
    terminal.note(terminal.style.dim(note));
  }
  if (event.type !== 'turn-end') return;
  words.end();
  if (event.reason === 'completed') return;
  const why = event.message === null ? '' : `: ${visibleExcerpt(event.message, 500)}`;
  terminal.complain(`The turn ended: ${event.reason}${why}`);
}
