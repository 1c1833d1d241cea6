import * as z from 'zod';
import {
  type Codec,
  count,
  flag,
  isUuidV4,
  listOf,
  nullable,
  oneOf,
  optional,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
} from '../../foundation/index.js';
import { ProcessRecord } from '../../storage/index.js';
import { type QuestionStatus, questionLifecycle } from './lifecycle.js';

/** The id of a question set: a UUID v4, also the name of its directory. */
const SessionId = textThat(isUuidV4, 'not a UUID v4');

/** One choice. Options are referred to by their label. */
const Option = record({ label: text, description: optional(text) });
export type Option = ValueOf<typeof Option>;

const Question = record({
  prompt: text,
  title: text,
  options: listOf(Option),
  multiSelect: optional(flag),
});
export type Question = ValueOf<typeof Question>;

/** What an asker may say about one question; the size limits come from the configuration. */
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
export const Asker = record({
  agent: optional(text),
  version: optional(text),
  session: optional(text),
  /** `permission`: leave to do something, which counts only while the asker is waiting. */
  asks: optional(text),
  /** The agent's own conversation, if one of its hooks asks: an agent that a person started. */
  hook: optional(text),
});
export type Asker = ValueOf<typeof Asker>;

/** `request.json`: written once, never changed. A set made by AUQ has no `version`. */
export const RequestFile = record({
  sessionId: SessionId,
  questions: listOf(Question, 1),
  status: text,
  timestamp: time,
  callId: optional(text),
  workingDirectory: optional(text),
  version: optional(whole()),
  /** When the set times out; absent means never. */
  expiresAt: optional(time),
  /** The asker's own name for this request; repeating it means the same set. */
  requestId: optional(text),
  asker: optional(Asker),
});
export type RequestFile = ValueOf<typeof RequestFile>;

/** Declared by AUQ but never seen in a file; they all mean that nobody has decided yet. */
const UNDECIDED: ReadonlySet<unknown> = new Set(['in-progress', 'elaborate_requested', 'rephrase_requested']);

const Status = oneOf(questionLifecycle.states);
const StatusOnDisk: Codec<QuestionStatus> = {
  fromDisk: (value) => (UNDECIDED.has(value) ? 'pending' : Status.fromDisk(value)),
  toDisk: Status.toDisk,
};

/** `status.json`: replaced at every transition. */
export const StatusFile = record({
  sessionId: SessionId,
  status: StatusOnDisk,
  createdAt: time,
  lastModified: time,
  totalQuestions: count,
  callId: optional(text),
  workingDirectory: optional(text),
  rejectionReason: optional(nullable(text)),
  version: optional(whole()),
  /** Why it was abandoned. */
  abandonedReason: optional(text),
  /** Whether the rejection came after the set had timed out or was abandoned. */
  late: optional(flag),
  /** Who decided, such as `cli`; for information only, not proof. */
  actor: optional(text),
  /** The request from another machine that rejected it: a repeat of it gets the recorded outcome. */
  appliedRequest: optional(text),
  /** When the outcome was first delivered to the asker. */
  collectedAt: optional(time),
  /** Which outcome was delivered; a mark without it applies to the status it was written with. */
  collectedDigest: optional(text),
  /** The first outcome, so that a later change by another program can be detected. */
  outcomeDigest: optional(text),
  /** The process waiting for the answer. */
  askerProcess: optional(ProcessRecord),
  /** Why the decision did not reach the asker, if known: it had already moved on. */
  unheardReason: optional(text),
  /** When the asker left without its answer. */
  askerGoneAt: optional(time),
});
export type StatusFile = ValueOf<typeof StatusFile>;

/** The answer to one question: a label, several labels, own words, or labels with own words. */
const UserAnswer = record({
  questionIndex: count,
  selectedOption: optional(text),
  selectedOptions: optional(listOf(text)),
  customText: optional(text),
  timestamp: time,
});
export type UserAnswer = ValueOf<typeof UserAnswer>;

/** `answers.json`: created once. It is the answer, whatever `status.json` says. */
export const AnswersFile = record({
  sessionId: SessionId,
  answers: listOf(UserAnswer),
  timestamp: time,
  callId: optional(text),
  version: optional(whole()),
  /** Whether it came after the set had timed out or was abandoned. */
  late: optional(flag),
  /** The request from another machine that brought this answer: a repeat of it gets the recorded answer. */
  appliedRequest: optional(text),
  /** AUQ's mark that an answer was delivered. */
  lastReadAt: optional(time),
});
export type AnswersFile = ValueOf<typeof AnswersFile>;

/** What a person gives as the answer to one question. */
export const AnswerInput = z.strictObject({
  questionIndex: z.int().nonnegative(),
  selectedOption: z.string().optional(),
  selectedOptions: z.array(z.string()).optional(),
  customText: z.string().optional(),
});
export type AnswerInput = z.infer<typeof AnswerInput>;

/** What a person has chosen and typed for one question so far. */
const DraftAnswer = record({
  selected: listOf(text),
  /** Whether the person's own words count; they are kept even when they do not. */
  isOther: flag,
  text: text,
  /** Whether the person has moved on from this question. */
  isConfirmed: flag,
});
export type DraftAnswer = ValueOf<typeof DraftAnswer>;

/** `draft.json`: a half-given answer, kept until the set is answered. Never sent to the asker. */
export const DraftFile = record({
  version: whole(),
  sessionId: SessionId,
  lastModified: time,
  questionIndex: count,
  answers: listOf(DraftAnswer),
  rejectionReason: text,
});
export type DraftFile = ValueOf<typeof DraftFile>;
