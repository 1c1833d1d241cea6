import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Conversation, TurnUsage } from './conversation.js';
import type { Output } from './output.js';
import type { ScriptTurn, StepName, StepValue } from './script.js';
import { applyTool, leaveBehind, type Workplace } from './tools.js';
import type { PlayedTurn, Tool, TurnOutcome, Voice } from './voice.js';

/** What the play needs besides a voice and a conversation. */
export interface Stage extends Workplace {
  readonly output: Output;
  /** From now on neither SIGTERM nor the end of its input ends the program. */
  readonly ignoreTerm: () => void;
}

/** The turn in progress. */
interface Scene {
  readonly stage: Stage;
  readonly voice: Voice;
  readonly signal: AbortSignal;
  readonly conversation: Conversation;
  readonly said: string[];
  usage: TurnUsage;
  isUsageTold: boolean;
  lastOutput: string;
}

/** What a turn uses unless the script says otherwise. */
const USUAL: TurnUsage = {
  input: 1_000,
  output: 50,
  cacheRead: 0,
  cacheWrite: 0,
  cost: 0.005,
  window: 200_000,
};

/** Ends the turn from within a step. */
class TurnOver extends Error {
  readonly outcome: TurnOutcome;

  constructor(outcome: TurnOutcome) {
    super(outcome.end);
    this.outcome = outcome;
  }
}

/** Plays a turn. Its prompt is the last message of the conversation; the reply is added when the turn is over. */
export async function playTurn(
  turn: ScriptTurn,
  stage: Stage,
  voice: Voice,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<PlayedTurn> {
  const scene: Scene = {
    stage,
    voice,
    signal,
    conversation,
    said: [],
    usage: USUAL,
    isUsageTold: false,
    lastOutput: '',
  };
  voice.note(USUAL);
  const outcome = await playSteps(turn, scene);
  const text = scene.said.join('\n');
  conversation.add({ role: 'assistant', text, usage: scene.usage });
  return { outcome, text, usage: scene.usage, isUsageTold: scene.isUsageTold };
}

async function playSteps(turn: ScriptTurn, scene: Scene): Promise<TurnOutcome> {
  try {
    for (const { name, value } of turn.steps) {
      if (scene.signal.aborted) return { end: 'cancelled' };
      const action = ACTIONS[name] as (value: unknown, scene: Scene) => Promise<void> | void;
      await action(value, scene);
    }
    return scene.signal.aborted ? { end: 'cancelled' } : { end: turn.end };
  } catch (error) {
    if (error instanceof TurnOver) return error.outcome;
    if (scene.signal.aborted) return { end: 'cancelled' };
    throw error;
  }
}

type Actions = {
  readonly [Name in StepName]: (value: StepValue<Name>, scene: Scene) => Promise<void> | void;
};

const ACTIONS: Actions = {
  async say(value, scene) {
    const { text, repeat } = typeof value === 'string' ? { text: value, repeat: 1 } : value;
    const whole = fillIn(text, scene).repeat(repeat);
    scene.said.push(whole);
    await scene.voice.say(whole);
  },
  think: (text, scene) => scene.voice.think(fillIn(text, scene)),
  write: ({ path, content }, scene) => use({ type: 'write', path, content: fillIn(content, scene) }, scene),
  edit: (value, scene) => use({ type: 'edit', ...value }, scene),
  run: (command, scene) => use({ type: 'run', command }, scene),
  ask({ server, ...input }, scene) {
    const name = server ?? scene.stage.questioner.defaultServer;
    return use({ type: 'mcp', server: name, tool: 'ask_user_questions', input }, scene);
  },
  permission: ({ tool, input, kind = 'other' }, scene) =>
    use({ type: 'other', name: tool, kind, input }, scene),
  usage(value, scene) {
    const given = Object.entries(value).filter(([, amount]) => amount !== undefined);
    scene.usage = { ...USUAL, ...Object.fromEntries(given) };
    scene.isUsageTold = true;
    scene.voice.note(scene.usage);
  },
  retry: (value, scene) => scene.voice.retry(value),
  async rateLimit({ resetsInSeconds, status }, scene) {
    const resetsAt = resetsInSeconds === undefined ? null : inSeconds(resetsInSeconds);
    if (status === 'warning') return scene.voice.warn(resetsAt);
    throw new TurnOver({ end: 'rate-limited', resetsAt });
  },
  fail(value) {
    const { message, status = null } = typeof value === 'string' ? { message: value } : value;
    throw new TurnOver({ end: 'failed', message, status });
  },
  hang: (value, { signal }) => (value === 'deaf' ? forever() : untilAborted(signal)),
  crash(value) {
    if (value !== true) process.exit(value.code);
    process.kill(process.pid, 'SIGKILL');
    return forever();
  },
  flood: ({ stream, bytes }, { stage }) => stage.output.flood(stream, bytes),
  delay: (ms, { signal }) => pause(ms, undefined, { signal }),
  garbage: (value, { stage }) =>
    stage.output.bytes(typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64')),
  pieces: (bytes, { stage }) => stage.output.cutInto(bytes),
  ignoreTerm: (_, { stage }) => stage.ignoreTerm(),
  grandchild(value) {
    const { command, holdsOutput } =
      typeof value === 'string' ? { command: value, holdsOutput: false } : value;
    leaveBehind(command, holdsOutput);
  },
  closeStdout: (_, { stage }) => stage.output.closeStdout(),
};

async function use(tool: Tool, scene: Scene): Promise<void> {
  const { voice, stage, signal } = scene;
  const toolUse = { id: `tool_${randomUUID().replaceAll('-', '').slice(0, 20)}`, tool };
  await voice.toolStart(toolUse);
  const refusal = await voice.refusal(toolUse, signal);
  const outcome =
    refusal === null
      ? await applyTool(tool, stage, signal)
      : { isError: true, output: refusal, exitCode: null };
  scene.lastOutput = outcome.output;
  await voice.toolEnd(toolUse, outcome);
}

function fillIn(text: string, { conversation, lastOutput }: Scene): string {
  const prompts = conversation.prompts;
  const values: Readonly<Record<string, string>> = {
    prompt: prompts.at(-1) ?? '',
    earlier: prompts.slice(0, -1).join(' | '),
    output: lastOutput,
    answer: firstAnswerIn(lastOutput),
  };
  return text.replaceAll(/\{\{(prompt|earlier|output|answer)\}\}/g, (_, name: string) => values[name] ?? '');
}

/** The choice, or the person's own words, in a reply to `ask`; without quotes, so that it can be put into source code. */
function firstAnswerIn(output: string): string {
  const [, own, choice = ''] = /^→ (?:Other: '(.*)'|(.*?)(?: — .*)?)$/m.exec(output) ?? [];
  return (own ?? choice).replace(/['"`\\$]/g, '');
}

function inSeconds(seconds: number): Date {
  return new Date(Math.round(Date.now() / 1_000 + seconds) * 1_000);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const alive = stayAlive();
    signal.addEventListener('abort', () => {
      clearInterval(alive);
      resolve();
    });
  });
}

function forever(): Promise<never> {
  stayAlive();
  return new Promise(() => {});
}

/** Keeps the program alive: with nothing to wait for, it would end. */
export function stayAlive(): NodeJS.Timeout {
  return setInterval(() => {}, 1_000_000);
}
