import * as z from 'zod';
import {
  type Codec,
  count,
  firstIssue,
  flag,
  InvalidInputError,
  listOf,
  number,
  optional,
  RecordFault,
  record,
  text,
  textThat,
} from '../../foundation/index.js';
import { InvalidAnswerError } from './errors.js';
import { AnswerInput, Asker, QuestionInput } from './schema.js';

/** Keeps every deadline within four-digit years. */
const MAX_TIMEOUT_MS = 100 * 365 * 24 * 60 * 60 * 1_000;
const MAX_REQUEST_ID_CHARACTERS = 256;
const MAX_NAME_CHARACTERS = 4_096;
const MAX_REASON_CHARACTERS = 256 * 1024;

/** A process checks only a few sets, so compiling a parser costs more than it saves. */
const ONCE = { jitless: true };

const Name = z.string().max(MAX_NAME_CHARACTERS);

/** What a program may say about itself. */
export const AskerInput = z.looseObject({
  agent: z.string().optional(),
  version: z.string().optional(),
  session: z.string().optional(),
  asks: z.string().optional(),
  hook: z.string().optional(),
});

/** What a program may say when it asks. */
export const CreateInput = z.strictObject({
  questions: z.array(QuestionInput),
  callId: Name.optional(),
  timeoutMs: z.number().nonnegative().max(MAX_TIMEOUT_MS).optional(),
  workingDirectory: Name.optional(),
  asker: AskerInput.optional(),
  requestId: z
    .string()
    .min(1, 'a request id has at least one character')
    .max(MAX_REQUEST_ID_CHARACTERS, `a request id has at most ${MAX_REQUEST_ID_CHARACTERS} characters`)
    .optional(),
  isWaiting: z.boolean().optional(),
});
export type CreateInput = z.infer<typeof CreateInput>;

const name = optional(textThat((value) => value.length <= MAX_NAME_CHARACTERS, 'too long'));
const PlainQuestion = record(
  {
    prompt: text,
    title: text,
    options: listOf(record({ label: text, description: optional(text) }, 'refuse')),
    multiSelect: optional(flag),
  },
  'refuse',
);
const PlainSet = record(
  {
    questions: listOf(PlainQuestion),
    callId: name,
    timeoutMs: optional(number(0, MAX_TIMEOUT_MS)),
    workingDirectory: name,
    asker: optional(Asker),
    requestId: optional(
      textThat((id) => id !== '' && id.length <= MAX_REQUEST_ID_CHARACTERS, 'too short or too long'),
    ),
    isWaiting: optional(flag),
  },
  'refuse',
);
const PlainAnswers = listOf(
  record(
    {
      questionIndex: count,
      selectedOption: optional(text),
      selectedOptions: optional(listOf(text)),
      customText: optional(text),
    },
    'refuse',
  ),
);

/**
 * Reports what a schema says about an input. The schema is used only for input that the check refuses, for its wording:
 * the first use of a schema costs a command line start more than everything else it does. A property test checks that
 * the two agree.
 */
function checkInput<Input>(
  value: unknown,
  check: Codec<Input>,
  schema: z.ZodType<Input>,
): z.ZodSafeParseResult<Input> {
  try {
    return { success: true, data: check.fromDisk(value) };
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    return schema.safeParse(value, ONCE);
  }
}

/**
 * Checks what a program asks, including types, because not every caller is type-checked. Throws INVALID_INPUT with the
 * place.
 */
export function checkCreateInput(input: unknown): CreateInput {
  const result = checkInput(input, PlainSet, CreateInput);
  if (result.success) return result.data;
  const { place, reason } = firstIssue(result.error);
  throw new InvalidInputError(`Invalid question set: ${place === '' ? '' : `${place}: `}${reason}`, {
    place,
    hint: 'Nothing was created. Correct the set and ask again.',
  });
}

/** Checks the shape of answers before they are checked against their questions. Throws INVALID_ANSWER. */
export function checkAnswerInput(answers: unknown): AnswerInput[] {
  const result = checkInput(answers, PlainAnswers, z.array(AnswerInput));
  if (result.success) return result.data;
  const { place, reason } = firstIssue(result.error);
  throw new InvalidAnswerError(`answers${place}: ${reason}`);
}

/** Checks the reason of a rejection or withdrawal. Throws INVALID_INPUT. */
export function checkReason<Reason extends string | null>(reason: Reason): Reason {
  if (reason === null) return reason;
  if (typeof reason === 'string' && reason.length <= MAX_REASON_CHARACTERS) return reason;
  throw new InvalidInputError(`A reason is a text of at most ${MAX_REASON_CHARACTERS} characters`, {
    place: 'reason',
  });
}
