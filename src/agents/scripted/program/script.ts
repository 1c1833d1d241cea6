import * as z from 'zod';

const Milliseconds = z.number().nonnegative();
const Tokens = z.int().nonnegative();
const Kind = z.enum(['read', 'edit', 'delete', 'move', 'execute', 'fetch', 'other']);

/** What a step may be, by its one key. The README next door says what each does. */
const STEPS = {
  say: z.union([z.string(), z.strictObject({ text: z.string(), repeat: z.int().positive() })]),
  think: z.string(),
  write: z.strictObject({ path: z.string().min(1), content: z.string() }),
  edit: z.strictObject({ path: z.string().min(1), find: z.string().min(1), replace: z.string() }),
  run: z.string().min(1),
  ask: z.looseObject({ server: z.string().optional(), questions: z.array(z.unknown()) }),
  permission: z.strictObject({ tool: z.string().min(1), input: z.unknown(), kind: Kind.optional() }),
  usage: z.strictObject({
    input: Tokens.optional(),
    output: Tokens.optional(),
    cacheRead: Tokens.optional(),
    cacheWrite: Tokens.optional(),
    cost: z.number().nonnegative().optional(),
    window: z.int().positive().optional(),
  }),
  retry: z.strictObject({
    attempt: z.int().positive().optional(),
    of: z.int().positive().optional(),
    delayMs: Milliseconds.optional(),
    status: z.int().optional(),
    message: z.string().optional(),
  }),
  rateLimit: z.strictObject({
    resetsInSeconds: z.number().optional(),
    status: z.enum(['rejected', 'warning']).optional(),
  }),
  fail: z.union([z.string(), z.strictObject({ message: z.string(), status: z.int().optional() })]),
  hang: z.union([z.literal(true), z.literal('deaf')]),
  crash: z.union([z.literal(true), z.strictObject({ code: z.int().min(0).max(255) })]),
  flood: z.strictObject({ stream: z.enum(['stdout', 'stderr']), bytes: z.int().positive() }),
  delay: Milliseconds,
  garbage: z.union([z.string(), z.strictObject({ base64: z.base64() })]),
  pieces: z.int().nonnegative(),
  ignoreTerm: z.literal(true),
  grandchild: z.union([
    z.string().min(1),
    z.strictObject({ command: z.string().min(1), holdsOutput: z.boolean() }),
  ]),
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
  steps: z.array(z.record(z.string(), z.unknown())).optional(),
  end: z.enum(TURN_ENDS).optional(),
  exit: z.int().min(0).max(255).optional(),
  comment: z.string().optional(),
});
const ScriptShape = z.strictObject({
  turns: z.array(TurnShape).optional(),
  onExhausted: z.enum(['echo', 'repeat-last', 'fail']).optional(),
  comment: z.string().optional(),
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
  const schema: z.ZodType = STEPS[name as StepName];
  return { name, value: check(schema, raw[name], `${place}.${name}`) } as Step;
}

function check<Schema extends z.ZodType>(schema: Schema, raw: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? '' : `.${issue.path.join('.')}`;
  throw new ScriptError(`${place}${path}: ${issue?.message ?? 'not valid'}`);
}
