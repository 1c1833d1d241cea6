import { messageOf } from '../foundation/index.js';
import type { AgentConnection, ResumeHandle } from './driver.js';
import type { AgentEvent, TurnEnd } from './events.js';

/** The result of testing one thing that an agent should be able to do. */
export interface ProbeStep {
  readonly name: 'start' | 'prompt' | 'cancel' | 'resume after kill -9' | 'question';
  readonly outcome: 'works' | 'fails' | 'skipped';
  readonly detail: string;
}

export interface ProbeOptions {
  readonly start: (resume?: ResumeHandle) => Promise<AgentConnection>;
  /** Stands in for the person: answers the first question that arrives with its second option. */
  readonly answerFirst: (signal: AbortSignal) => Promise<boolean>;
  /** A word that the agent cannot guess. */
  readonly secretWord: string;
  readonly stepTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Tests a real agent step by step and reports what works. It costs a few short prompts. */
export async function* probeAgent(options: ProbeOptions): AsyncGenerator<ProbeStep> {
  let connection: AgentConnection;
  try {
    connection = await options.start();
  } catch (error) {
    yield { name: 'start', outcome: 'fails', detail: messageOf(error) };
    return;
  }
  yield { name: 'start', outcome: 'works', detail: connection.facts.version ?? 'version not reported' };
  try {
    yield await probePrompt(options, connection);
    yield await probeCancel(options, connection);
    yield await probeQuestion(options, connection);
    yield await probeResume(options, connection);
  } finally {
    await connection.terminate();
  }
}

async function probePrompt(options: ProbeOptions, connection: AgentConnection): Promise<ProbeStep> {
  const prompt = `Remember this word: ${options.secretWord}. Reply with the single word: ready.`;
  const { text, end } = await exchange(options, connection, prompt);
  const isGood = end.reason === 'completed' && text.trim() !== '';
  return step('prompt', isGood, isGood ? `answered ${JSON.stringify(text.slice(0, 60))}` : describeEnd(end));
}

async function probeCancel(options: ProbeOptions, connection: AgentConnection): Promise<ProbeStep> {
  if (connection.capabilities.cancel === 'kill') {
    return { name: 'cancel', outcome: 'skipped', detail: 'ends the process; tried with the next step' };
  }
  const prompt = 'Count from 1 to 2000, one number per line, without using any tool.';
  const { end } = await exchange(options, connection, prompt, async (event) => {
    if (event.type === 'text' || event.type === 'thinking') await connection.cancel();
  });
  return step('cancel', end.reason === 'cancelled', describeEnd(end));
}

async function probeQuestion(options: ProbeOptions, connection: AgentConnection): Promise<ProbeStep> {
  if (!connection.capabilities.takesMcpServers) {
    return { name: 'question', outcome: 'skipped', detail: 'this protocol cannot give an agent MCP servers' };
  }
  const done = new AbortController();
  const answered = options.answerFirst(done.signal);
  const prompt =
    'Use the tool ask_user_questions of the MCP server holdfast to ask me one question with the title "Colour", the ' +
    'prompt "Which colour?" and the options "Red" and "Blue". Then reply with exactly the option that I chose.';
  const { text, end } = await exchange(options, connection, prompt);
  done.abort();
  const wasAsked = await answered;
  const isGood = wasAsked && end.reason === 'completed' && /blue/i.test(text);
  return step(
    'question',
    isGood,
    wasAsked ? `asked and answered; ${describeEnd(end)}` : `never asked; ${describeEnd(end)}`,
  );
}

async function probeResume(options: ProbeOptions, connection: AgentConnection): Promise<ProbeStep> {
  const name = 'resume after kill -9';
  if (connection.capabilities.resume === 'none')
    return { name, outcome: 'skipped', detail: 'it cannot be resumed' };
  const killed = await exchange(
    options,
    connection,
    'Count from 1 to 2000, one number per line.',
    async (event) => {
      if (event.type !== 'usage' && connection.pid !== null) process.kill(connection.pid, 'SIGKILL');
    },
  );
  const handle = connection.resumeHandle;
  if (handle === null) return { name, outcome: 'fails', detail: 'it gave no id for resuming' };
  let resumed: AgentConnection;
  try {
    resumed = await options.start(handle);
  } catch (error) {
    return { name, outcome: 'fails', detail: messageOf(error) };
  }
  try {
    const { text, end } = await exchange(
      options,
      resumed,
      'Which word did I ask you to remember? Reply with it alone.',
    );
    const isGood = end.reason === 'completed' && text.includes(options.secretWord);
    const detail = isGood
      ? 'it still knew the word'
      : `killed: ${killed.end.reason}; ${describeEnd(end)}; ${text.slice(0, 80)}`;
    return step(name, isGood, detail);
  } finally {
    await resumed.terminate();
  }
}

async function exchange(
  options: ProbeOptions,
  connection: AgentConnection,
  prompt: string,
  onEvent: (event: AgentEvent) => Promise<void> = async () => {},
): Promise<{ text: string; end: TurnEnd }> {
  let text = '';
  let end: TurnEnd = { type: 'turn-end', reason: 'died', message: 'no end was seen' };
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.stepTimeoutMs)]);
  try {
    for await (const event of connection.prompt(prompt, { signal })) {
      if (event.type === 'text') text += event.text;
      if (event.type === 'turn-end') end = event;
      else await onEvent(event);
    }
  } catch (error) {
    end = { type: 'turn-end', reason: 'failed', message: messageOf(error) };
  }
  return { text, end };
}

function step(name: ProbeStep['name'], isGood: boolean, detail: string): ProbeStep {
  return { name, outcome: isGood ? 'works' : 'fails', detail };
}

function describeEnd(end: TurnEnd): string {
  return end.message === null ? end.reason : `${end.reason}: ${end.message}`;
}
