import { en } from 'zod/locales';
import * as z from 'zod/mini';

// The small half of zod: this program is started by the thousand, and the whole of it takes a third of each start.
z.config(en());

const Milliseconds = z.number().check(z.nonnegative());
const Amount = z.int().check(z.nonnegative());
const Count = z.int().check(z.positive());
const Text = z.string().check(z.minLength(1));
const ExitCode = z.int().check(z.minimum(0), z.maximum(255));
const Kind = z.enum(['read', 'edit', 'delete', 'move', 'execute', 'fetch', 'other']);

/** What a step may be, by its one key. The README next door says what each does. */
const STEPS = {
  say: z.union([z.string(), z.strictObject({ text: z.string(), repeat: Count })]),
  think: z.string(),
  write: z.strictObject({ path: Text, content: z.string() }),
  edit: z.strictObject({ path: Text, find: Text, replace: z.string() }),
  run: Text,
  ask: z.looseObject({ server: z.optional(z.string()), questions: z.array(z.unknown()) }),
  permission: z.strictObject({ tool: Text, input: z.unknown(), kind: z.optional(Kind) }),
  usage: z.strictObject({
    input: z.optional(Amount),
    output: z.optional(Amount),
    cacheRead: z.optional(Amount),
    cacheWrite: z.optional(Amount),
    cost: z.optional(z.number().check(z.nonnegative())),
    window: z.optional(Count),
  }),
  retry: z.strictObject({
    attempt: z.optional(Count),
    of: z.optional(Count),
    delayMs: z.optional(Milliseconds),
    status: z.optional(z.int()),
    message: z.optional(z.string()),
  }),
  rateLimit: z.strictObject({
    resetsInSeconds: z.optional(z.number()),
    status: z.optional(z.enum(['rejected', 'warning'])),
  }),
  fail: z.union([z.string(), z.strictObject({ message: z.string(), status: z.optional(z.int()) })]),
  hang: z.union([z.literal(true), z.literal('deaf')]),
  crash: z.union([z.literal(true), z.strictObject({ code: ExitCode })]),
  flood: z.strictObject({ stream: z.enum(['stdout', 'stderr']), bytes: Count }),
  delay: Milliseconds,
  garbage: z.union([z.string(), z.strictObject({ base64: z.base64() })]),
  pieces: Amount,
  ignoreTerm: z.literal(true),
  grandchild: z.union([Text, z.strictObject({ command: Text, holdsOutput: z.boolean() })]),
  closeStdout: z.literal(true),
} as const;

export type StepName = keyof typeof STEPS;
export type StepValue<Name extends StepName> = z.output<(typeof STEPS)[Name]>;
export type Step = {
  readonly [Name in StepName]: { readonly name: Name; readonly value: StepValue<Name> };
}[StepName];

/** How a turn may end by itself. */
const TURN_ENDS = ['completed', 'refused', 'turn-limit', 'context-overflow'] as const;

/** What the agent does with one prompt. */
export interface Turn {
  readonly steps: readonly Step[];
  readonly end: (typeof TURN_ENDS)[number];
  /** Leaves right after the end of the turn, with this exit code. */
  readonly exit: number | null;
}

/** A whole play: the turn is chosen by the number of prompts in the conversation. */
export interface Script {
  readonly turns: readonly Turn[];
  readonly onExhausted: 'echo' | 'repeat-last' | 'fail';
}

/** A script that cannot be played; says where and why. */
export class ScriptError extends Error {}

const TurnShape = z.strictObject({
  steps: z.optional(z.array(z.record(z.string(), z.unknown()))),
  end: z.optional(z.enum(TURN_ENDS)),
  exit: z.optional(ExitCode),
  comment: z.optional(z.string()),
});
const ScriptShape = z.strictObject({
  turns: z.optional(z.array(TurnShape)),
  onExhausted: z.optional(z.enum(['echo', 'repeat-last', 'fail'])),
  comment: z.optional(z.string()),
});

/** Reads a script. Throws ScriptError, naming the place: nothing that is misspelt is passed over. */
export function parseScript(text: string): Script {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new ScriptError(`The script is not JSON: ${(error as Error).message}`);
  }
  const shape = check(ScriptShape, raw, 'script');
  return {
    turns: (shape.turns ?? []).map((turn, index) => ({
      steps: (turn.steps ?? []).map((step, at) => parseStep(step, `turns[${index}].steps[${at}]`)),
      end: turn.end ?? 'completed',
      exit: turn.exit ?? null,
    })),
    onExhausted: shape.onExhausted ?? 'echo',
  };
}

/** The turn for a prompt that comes after so many others. */
export function turnAfter(script: Script, earlierPrompts: number): Turn {
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

function parseStep(raw: Record<string, unknown>, place: string): Step {
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
  const schema: z.ZodMiniType = STEPS[name as StepName];
  return { name, value: check(schema, raw[name], `${place}.${name}`) } as Step;
}

function check<Schema extends z.ZodMiniType>(schema: Schema, raw: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? '' : `.${issue.path.join('.')}`;
  throw new ScriptError(`${place}${path}: ${issue?.message ?? 'not valid'}`);
}
