import * as z from 'zod';
import { AskerInput } from './check-input.js';
import { questionLifecycle } from './lifecycle.js';
import type { QuestionView } from './view.js';

const Question = z.looseObject({
  prompt: z.string(),
  title: z.string(),
  options: z.array(z.looseObject({ label: z.string(), description: z.string().optional() })),
  multiSelect: z.boolean().optional(),
});

const UserAnswer = z.looseObject({
  questionIndex: z.int().nonnegative(),
  selectedOption: z.string().optional(),
  selectedOptions: z.array(z.string()).optional(),
  customText: z.string().optional(),
  timestamp: z.iso.datetime({ offset: true }),
});

/** A question set as the command line (`--json`) and MCP (structured content) report it. */
export const QuestionReport = z.object({
  sessionId: z.string(),
  status: z.enum(questionLifecycle.states),
  questions: z.array(Question),
  answers: z.array(UserAnswer).nullable(),
  rejectionReason: z.string().nullable(),
  abandonedReason: z.string().nullable(),
  /** Whether the outcome came after the set had timed out or was abandoned. */
  late: z.boolean(),
  createdAt: z.string(),
  lastActivityAt: z.string(),
  expiresAt: z.string().nullable(),
  collectedAt: z.string().nullable(),
  /** Why it did not reach the asker, if known; then it did not count. */
  unheardReason: z.string().optional(),
  /** Who decided; null if nobody has, or it was not recorded. */
  actor: z.string().nullable(),
  workingDirectory: z.string().nullable(),
  asker: AskerInput.nullable(),
  isAskerGone: z.boolean().nullable(),
  /** The machine of the fleet that keeps it; absent for this one. */
  machine: z.string().optional(),
  /** A decision that was sent to that machine and has not arrived yet. */
  onItsWay: z.object({ request: z.string(), by: z.string() }).optional(),
  faults: z.array(z.object({ file: z.string(), kind: z.string(), reason: z.string() })),
});
export type QuestionReport = z.infer<typeof QuestionReport>;

/** Turns a view into its report. */
export function reportOf(view: QuestionView): QuestionReport {
  const { outcome } = view;
  return {
    sessionId: view.id,
    status: outcome.status,
    questions: [...view.questions],
    answers: outcome.status === 'completed' ? [...outcome.answers] : null,
    rejectionReason: outcome.status === 'rejected' ? outcome.reason : null,
    abandonedReason: outcome.status === 'abandoned' ? outcome.reason : null,
    late: 'late' in outcome ? outcome.late : false,
    createdAt: view.createdAt,
    lastActivityAt: view.lastActivityAt,
    expiresAt: view.expiresAt,
    collectedAt: view.collectedAt,
    ...(view.unheardReason === undefined ? {} : { unheardReason: view.unheardReason }),
    actor: view.actor,
    workingDirectory: view.workingDirectory,
    asker: view.asker,
    isAskerGone: view.isAskerGone,
    ...(view.machine === undefined ? {} : { machine: view.machine }),
    ...(view.onItsWay === undefined ? {} : { onItsWay: view.onItsWay }),
    faults: view.faults.map((fault) => ({ ...fault })),
  };
}
