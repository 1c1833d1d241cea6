import {
  anything,
  type Codec,
  filledText,
  flag,
  listOf,
  number,
  object,
  oneOf,
  optional,
  RecordFault,
  type RecordOf,
  record,
  type Scalar,
  scalar,
  text,
  textThat,
  type ValueOf,
  whole,
  withDefault,
} from '../../../foundation/index.js';

/* Read with the codec of our records, not with zod, which takes as long to load as the whole rest of this program. */

const tokens = whole(0);
const positive = whole(1);
const exitCode = whole(0, 255);
const yes = scalar((value): value is true => value === true, 'not true');
const kind = oneOf(['read', 'edit', 'delete', 'move', 'execute', 'fetch', 'other']);
const base64 = textThat(
  (value) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value),
  'not base64',
);

/** The kinds of steps, by their single key. The README next door says what each does. */
const STEPS = {
  say: either(text, strict({ text, repeat: positive })),
  think: text,
  write: strict({ path: filledText, content: text }),
  edit: strict({ path: filledText, find: filledText, replace: text }),
  run: filledText,
  ask: record({ server: optional(text), questions: listOf(anything) }),
  permission: strict({ tool: filledText, input: anything, kind: optional(kind) }),
  usage: strict({
    input: optional(tokens),
    output: optional(tokens),
    cacheRead: optional(tokens),
    cacheWrite: optional(tokens),
    cost: optional(number(0)),
    window: optional(positive),
  }),
  retry: strict({
    attempt: optional(positive),
    of: optional(positive),
    delayMs: optional(number(0)),
    status: optional(whole()),
    message: optional(text),
  }),
  rateLimit: strict({
    resetsInSeconds: optional(number()),
    status: optional(oneOf(['rejected', 'warning'])),
  }),
  fail: either(text, strict({ message: text, status: optional(whole()) })),
  hang: either(yes, oneOf(['deaf'])),
  crash: either(yes, strict({ code: exitCode })),
  flood: strict({ stream: oneOf(['stdout', 'stderr']), bytes: positive }),
  delay: number(0),
  garbage: either(text, strict({ base64 })),
  pieces: whole(0),
  ignoreTerm: yes,
  grandchild: either(filledText, strict({ command: filledText, holdsOutput: flag })),
  closeStdout: yes,
} as const;

export type StepName = keyof typeof STEPS;
export type StepValue<Name extends StepName> = ValueOf<(typeof STEPS)[Name]>;
export type Step = {
  readonly [Name in StepName]: { readonly name: Name; readonly value: StepValue<Name> };
}[StepName];

/** How a turn may end on its own. */
const TURN_ENDS = ['completed', 'refused', 'turn-limit', 'context-overflow'] as const;

/** What the agent does with one prompt. */
export interface ScriptTurn {
  readonly steps: readonly Step[];
  readonly end: (typeof TURN_ENDS)[number];
  /** The exit code to leave with right after the end of the turn; null = stay. */
  readonly exit: number | null;
}

/** A whole play: the turn is chosen by the number of prompts in the conversation. */
export interface Script {
  readonly turns: readonly ScriptTurn[];
  readonly onExhausted: 'echo' | 'repeat-last' | 'fail';
}

/** A script cannot be played; the message says where and why. */
export class ScriptError extends Error {}

const turnShape = strict({
  steps: withDefault(listOf(object), () => []),
  end: withDefault(oneOf(TURN_ENDS), () => 'completed' as const),
  exit: optional(exitCode),
  comment: optional(text),
});
const scriptShape = strict({
  turns: withDefault(listOf(turnShape), () => []),
  onExhausted: withDefault(oneOf(['echo', 'repeat-last', 'fail']), () => 'echo' as const),
  comment: optional(text),
});

/** Reads a script. Throws ScriptError, naming the place: no misspelling is ignored. */
export function parseScript(source: string): Script {
  let raw: unknown;
  try {
    raw = JSON.parse(source);
  } catch (error) {
    throw new ScriptError(`The script is not JSON: ${(error as Error).message}`);
  }
  const { turns, onExhausted } = check(scriptShape, raw, 'script');
  return {
    turns: turns.map(({ steps, end, exit = null }, index) => ({
      steps: steps.map((step, at) => parseStep(step, `turns[${index}].steps[${at}]`)),
      end,
      exit,
    })),
    onExhausted,
  };
}

/** The turn for a prompt that follows this many others. */
export function turnAfter(script: Script, earlierPrompts: number): ScriptTurn {
  const turn = script.turns[earlierPrompts];
  if (turn !== undefined) return turn;
  const last = script.turns.at(-1);
  if (script.onExhausted === 'repeat-last' && last !== undefined) return last;
  const step: Step =
    script.onExhausted === 'fail'
      ? { name: 'fail', value: 'the script has no more turns' }
      : { name: 'say', value: 'You said: {{prompt}}' };
  return { steps: [step], end: 'completed', exit: null };
}

function parseStep(raw: Readonly<Record<string, unknown>>, place: string): Step {
  const names = Object.keys(raw);
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new ScriptError(`${place}: a step has exactly one key, not ${names.length}`);
  }
  if (!Object.hasOwn(STEPS, name)) {
    throw new ScriptError(
      `${place}: there is no step "${name}" (there are ${Object.keys(STEPS).join(', ')})`,
    );
  }
  return { name, value: check<unknown>(STEPS[name as StepName], raw[name], `${place}.${name}`) } as Step;
}

function check<Value>(codec: Codec<Value>, raw: unknown, place: string): Value {
  try {
    return codec.fromDisk(raw);
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    throw new ScriptError(`${[place, ...error.path].join('.')}: ${error.reason}`);
  }
}

/** An object with exactly these keys. */
function strict<const Of extends Parameters<typeof record>[0]>(keys: Of): Codec<RecordOf<Of>> {
  return record(keys, 'refuse');
}

/** In short form or in long form. */
function either<Short, Long>(short: Scalar<Short>, long: Codec<Long>): Codec<Short | Long> {
  return {
    fromDisk: (value) => (short.is(value) ? value : long.fromDisk(value)),
    toDisk: (value) => (short.is(value) ? value : long.toDisk(value as Long)),
  };
}
