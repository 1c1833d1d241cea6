import type { AgentEvent, TurnEndReason } from '../../agents/index.js';
import { chooseAgent, cleanAgentLogs, newAgentLog, type Services, startAgent } from '../../app/index.js';
import { visibleBlock, visibleExcerpt, visibleJson, visibleLine } from '../../foundation/index.js';
import { defineCommand, UsageError } from '../command.js';
import { parseDuration } from '../duration.js';
import { ExitCode } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';

export default defineCommand({
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
  },
  examples: [
    'holdfast exec --agent claude "explain this repository"',
    'git diff | holdfast exec --agent codex "review the diff on standard input: $(cat)"',
    'holdfast exec --agent gemini --json "write a test for parse.ts" | jq -c .',
  ],
  async run({ services, terminal, signal, isJson }, { positionals: [given], values }) {
    const permissions = permissionMode(values.permissions);
    const prompt = given === undefined || given === '-' ? await readPrompt(terminal, signal) : given;
    if (prompt.trim() === '') throw new UsageError('The prompt is empty');
    const limits = values.timeout === undefined ? [] : [AbortSignal.timeout(parseDuration(values.timeout))];
    const stop = AbortSignal.any([signal, ...limits]);
    const agent = chooseAgent(services, values.agent);
    terminal.note(terminal.style.dim(`${agent.name} in ${services.workingDirectory}`));
    const logPath = newAgentLog(services, agent);
    const options = { permissions, model: values.model, logPath, signal: stop };
    const connection = await startAgent(services, agent, options);
    let reason: TurnEndReason = 'died';
    try {
      for await (const event of connection.prompt(prompt, { signal: stop })) {
        if (isJson) terminal.write(visibleJson(event));
        else show(terminal, event);
        if (event.type === 'turn-end') reason = event.reason;
      }
    } finally {
      await (stop.aborted ? connection.terminate() : connection.end());
    }
    if (reason !== 'completed') terminal.note(`What the agent wrote: ${visibleLine(logPath)}`);
    tellCleaning(terminal, services);
    return signal.aborted ? ExitCode.interrupted : exitCodeOf(reason);
  },
});

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

function tellCleaning(terminal: Terminal, services: Services): void {
  const { retired, purged } = cleanAgentLogs(services);
  const trash = visibleLine(services.config.layout.logTrash);
  if (retired.length > 0) terminal.note(`Logs of ${retired.length} old runs were moved to ${trash}.`);
  if (purged.length > 0) terminal.note(`Logs of ${purged.length} runs were removed from ${trash}.`);
}

async function readPrompt(terminal: Terminal, signal: AbortSignal): Promise<string> {
  if (terminal.hasKeyboard)
    throw new UsageError('No prompt given', { hint: 'Give it as an argument: see `holdfast exec --help`.' });
  return terminal.readStandardInput(signal);
}

function show(terminal: Terminal, event: AgentEvent): void {
  if (event.type === 'text') terminal.print(visibleBlock(event.text));
  const note = describe(event);
  if (note !== undefined) terminal.note(terminal.style.dim(note));
  if (event.type !== 'turn-end') return;
  terminal.print('\n');
  if (event.reason === 'completed') return;
  const why = event.message === null ? '' : `: ${visibleExcerpt(event.message, 500)}`;
  terminal.complain(`The turn ended: ${event.reason}${why}`);
}

/** One line about what the agent does; undefined for what is shown otherwise or not at all. */
function describe(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'tool-call':
      return `→ ${visibleExcerpt(event.name, 40)} ${visibleExcerpt(event.title, 120)}`;
    case 'tool-result':
      return event.isError ? `✗ ${visibleExcerpt(event.output, 160)}` : undefined;
    case 'permission':
      return `${event.decision === 'allowed' ? '✓' : '✗'} ${event.decision} (${event.by}): ${visibleExcerpt(event.title, 120)}`;
    case 'retry':
      return `… tries again (${event.attempt}): ${visibleExcerpt(event.message, 160)}`;
    case 'rate-limit':
      return `! limit: ${visibleExcerpt(event.message, 160)}${event.resetsAt === null ? '' : ` (until ${event.resetsAt})`}`;
    case 'error':
      return `! ${visibleExcerpt(event.message, 200)}`;
    default:
      return undefined;
  }
}
