import * as z from 'zod';
import { questionLifecycle } from './lifecycle.js';

/** The id of a question set: a UUID v4, which is also the name of its directory. */
export const SessionId = z.uuidv4('not a UUID v4').brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;

const Time = z.iso.datetime({ offset: true });

/** One choice. Options are referred to by their label. */
export const Option = z.looseObject({ label: z.string(), description: z.string().optional() });
export type Option = z.infer<typeof Option>;

export const Question = z.looseObject({
  prompt: z.string(),
  title: z.string(),
  options: z.array(Option),
  multiSelect: z.boolean().optional(),
});
export type Question = z.infer<typeof Question>;

/** What an asker may say about one question; the numbers come from the configured limits. */
export const QuestionInput = z.strictObject({
  prompt: z.string().describe('The question itself, as complete and specific as possible; Markdown is fine.'),
  title: z
    .string()
    .describe('A very short label for the question, such as "Auth method" (12 characters or so).'),
  options: z
    .array(
      z.strictObject({
        label: z
          .string()
          .describe('The choice as the person sees it (1 to 5 words), unique within the question.'),
        description: z.string().optional().describe('What the choice means or what follows from it.'),
      }),
    )
    .describe('The choices. "Other" with free text is always offered as well; do not add it.'),
  multiSelect: z
    .boolean()
    .optional()
    .describe('Whether several choices may be taken together. Default: false.'),
});
export type QuestionInput = z.infer<typeof QuestionInput>;

/** Who asks, as far as we know. */
export const Asker = z.looseObject({
  agent: z.string().optional(),
  version: z.string().optional(),
  session: z.string().optional(),
  /** `permission`: leave to do something, which counts only while the asker waits. */
  asks: z.string().optional(),
});
export type Asker = z.infer<typeof Asker>;

/** `request.json`: written once, never changed. A set that AUQ made has no `version`. */
export const RequestFile = z.looseObject({
  sessionId: SessionId,
  questions: z.array(Question).min(1),
  status: z.string(),
  timestamp: Time,
  callId: z.string().optional(),
  workingDirectory: z.string().optional(),
  version: z.int().optional(),
  /** When the set times out; absent means never. */
  expiresAt: Time.optional(),
  /** The asker's own name for this request; the same one again is the same set. */
  requestId: z.string().optional(),
  asker: Asker.optional(),
});
export type RequestFile = z.infer<typeof RequestFile>;

/** The process that waits for the answer, in the words of an owner record. */
export const AskerProcess = z.looseObject({
  pid: z.int().positive(),
  startTime: z.string().nullable(),
  bootId: z.string().nullable(),
  pidNamespace: z.string().nullable(),
  timeNamespace: z.string().nullable().optional(),
  host: z.string(),
});
export type AskerProcess = z.infer<typeof AskerProcess>;

/** Declared by AUQ and never seen in a file; they all mean that nobody has decided yet. */
const UNDECIDED = ['in-progress', 'elaborate_requested', 'rephrase_requested'] as const;

const StatusOnDisk = z
  .enum([...questionLifecycle.states, ...UNDECIDED])
  .transform((status) => (isUndecided(status) ? 'pending' : status));

/** `status.json`: replaced at every transition. */
export const StatusFile = z.looseObject({
  sessionId: SessionId,
  status: StatusOnDisk,
  createdAt: Time,
  lastModified: Time,
  totalQuestions: z.int().nonnegative(),
  callId: z.string().optional(),
  workingDirectory: z.string().optional(),
  rejectionReason: z.string().nullish(),
  version: z.int().optional(),
  /** Why it was abandoned. */
  abandonedReason: z.string().optional(),
  /** Whether the rejection came after the set had timed out or was abandoned. */
  late: z.boolean().optional(),
  /** Who decided, such as `cli`; it informs and proves nothing. */
  actor: z.string().optional(),
  /** When the outcome was delivered to the asker for the first time. */
  collectedAt: Time.optional(),
  /** Which outcome that was; a mark without it counts for the status it was made with. */
  collectedDigest: z.string().optional(),
  /** Which outcome was first, so that a later change by another program can be told. */
  outcomeDigest: z.string().optional(),
  askerProcess: AskerProcess.optional(),
  /** When the asker went away without its answer. */
  askerGoneAt: Time.optional(),
});
export type StatusFile = z.infer<typeof StatusFile>;

/** The answer to one question: a label, several labels, own words, or labels and own words. */
export const UserAnswer = z.looseObject({
  questionIndex: z.int().nonnegative(),
  selectedOption: z.string().optional(),
  selectedOptions: z.array(z.string()).optional(),
  customText: z.string().optional(),
  timestamp: Time,
});
export type UserAnswer = z.infer<typeof UserAnswer>;

/** `answers.json`: created once. It is the answer, whatever `status.json` says. */
export const AnswersFile = z.looseObject({
  sessionId: SessionId,
  answers: z.array(UserAnswer),
  timestamp: Time,
  callId: z.string().optional(),
  version: z.int().optional(),
  /** Whether it came after the set had timed out or was abandoned. */
  late: z.boolean().optional(),
  /** AUQ's mark of a delivered answer. */
  lastReadAt: Time.optional(),
});
export type AnswersFile = z.infer<typeof AnswersFile>;

/** What a person gives as the answer to one question. */
export const AnswerInput = z.strictObject({
  questionIndex: z.int().nonnegative(),
  selectedOption: z.string().optional(),
  selectedOptions: z.array(z.string()).optional(),
  customText: z.string().optional(),
});
export type AnswerInput = z.infer<typeof AnswerInput>;

/** What a person has chosen and typed for one question so far. */
export const DraftAnswer = z.looseObject({
  selected: z.array(z.string()),
  /** Whether the own words count, and what they are; they are kept when they do not count. */
  isOther: z.boolean(),
  text: z.string(),
  /** Whether the person has gone on from this question. */
  isConfirmed: z.boolean(),
});
export type DraftAnswer = z.infer<typeof DraftAnswer>;

/** `draft.json`: a half-given answer, kept until the set is answered. Never sent to the asker. */
export const DraftFile = z.looseObject({
  version: z.int(),
  sessionId: SessionId,
  lastModified: Time,
  questionIndex: z.int().nonnegative(),
  answers: z.array(DraftAnswer),
  rejectionReason: z.string(),
});
export type DraftFile = z.infer<typeof DraftFile>;

function isUndecided(status: string): status is (typeof UNDECIDED)[number] {
  return (UNDECIDED as readonly string[]).includes(status);
}
