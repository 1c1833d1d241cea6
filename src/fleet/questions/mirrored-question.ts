import { createHash } from 'node:crypto';
import * as z from 'zod';
import { isUuidV4 } from '../../foundation/index.js';
import type { MirrorRow, SessionRow } from '../../hub/index.js';
import { OUTER_LIMITS, type QuestionView } from '../../sessions/question/index.js';

/*
 * A question set in the mirror: its home's view as JSON. Another machine wrote what comes back, so its form is checked
 * here; words are shown through the same encoder as an agent's.
 */

/** What an agent wants to do is shown in full, so the text may be as long as the hub accepts. */
const Text = z.string().max(4 * 1024 * 1024);
const Time = z.iso.datetime({ offset: true });
const Answer = z.object({
  questionIndex: z.int().nonnegative(),
  selectedOption: Text.optional(),
  selectedOptions: z.array(Text).max(OUTER_LIMITS.maxOptions).optional(),
  customText: Text.optional(),
  timestamp: Time,
});

const Outcome = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending') }),
  z.object({ status: z.literal('completed'), answers: z.array(Answer), at: Time, late: z.boolean() }),
  z.object({ status: z.literal('rejected'), reason: Text.nullable(), at: Time, late: z.boolean() }),
  z.object({ status: z.literal('timed_out'), at: Time }),
  z.object({ status: z.literal('abandoned'), reason: Text }),
]);

const MirroredQuestion = z.object({
  id: z.string().refine(isUuidV4),
  outcome: Outcome,
  questions: z
    .array(
      z.object({
        prompt: Text,
        title: Text,
        options: z
          .array(z.object({ label: Text, description: Text.optional() }))
          .max(OUTER_LIMITS.maxOptions),
        multiSelect: z.boolean().optional(),
      }),
    )
    .max(OUTER_LIMITS.maxQuestions),
  createdAt: Time,
  lastActivityAt: Time,
  expiresAt: Time.nullable(),
  workingDirectory: z.string().max(4_096).nullable(),
  asker: z
    .object({
      agent: Text.optional(),
      version: Text.optional(),
      session: Text.optional(),
      asks: Text.optional(),
      hook: Text.optional(),
    })
    .nullable(),
  isAskerGone: z.boolean().nullable(),
  actor: z.string().max(200).nullable(),
  collectedAt: Time.nullable(),
  unheardReason: Text.optional(),
});

/** A set's row for the mirror. The same files give the same stamp. */
export function rowOfQuestion(view: QuestionView): MirrorRow {
  const { id, outcome, createdAt, lastActivityAt } = view;
  const { machine: _machine, onItsWay: _way, faults: _faults, callId: _call, ...summary } = view;
  return {
    id,
    stamp: createHash('sha256').update(JSON.stringify(summary)).digest('hex'),
    state: outcome.status,
    needs_person: outcome.status === 'pending',
    is_ended: outcome.status !== 'pending',
    created_at: createdAt,
    last_activity: lastActivityAt,
    summary,
  };
}

/** A set of another machine; undefined for a row that is no set, or whose view has a different id. */
export function questionOfRow(row: SessionRow): QuestionView | undefined {
  const result = MirroredQuestion.safeParse(row.summary);
  if (!result.success || result.data.id !== row.id) return undefined;
  return { ...mirroredView(result.data), ...whereabouts(row) } as QuestionView;
}

/** A set as another machine mirrored it, or stored it with a checkpoint; undefined if it is not one. */
export function readMirrored(summary: unknown): QuestionView | undefined {
  const result = MirroredQuestion.safeParse(summary);
  return result.success ? (mirroredView(result.data) as QuestionView) : undefined;
}

/** The outcome in a home's reply; undefined if there is none that can be read. */
export function outcomeOfReply(value: unknown): QuestionView['outcome'] | undefined {
  const result = Outcome.safeParse(value);
  return result.success ? (result.data as QuestionView['outcome']) : undefined;
}

function mirroredView(data: z.output<typeof MirroredQuestion>) {
  return { ...data, callId: null, faults: [] };
}

function whereabouts({ machine, request, request_by: by }: SessionRow) {
  return { machine, ...(request === null ? {} : { onItsWay: { request, by: by ?? '' } }) };
}
