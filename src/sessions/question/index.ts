export { askerLine, cardLines } from './card-lines.js';
export { checkAnswers } from './check-answers.js';
export type { CreateInput } from './check-input.js';
export { DEFAULT_LIMITS, OUTER_LIMITS } from './check-questions.js';
export type { Delivery } from './collect.js';
export {
  AlreadySettledError,
  AmbiguousIdError,
  AskerGoneError,
  CallIdMismatchError,
  InvalidAnswerError,
  InvalidSessionIdError,
  NotTakenBackError,
  RequestIdReusedError,
  SessionAbandonedError,
  SessionNotFoundError,
  SessionRejectedError,
  SessionTimedOutError,
  TooManySessionsError,
} from './errors.js';
export { describeAnswers, formatAnswers, outcomeInWords } from './format-response.js';
export { type QuestionStatus, questionLifecycle } from './lifecycle.js';
export type { CreateQuestionOptions } from './new-set.js';
export {
  answerQuestions,
  cancelQuestions,
  collectQuestions,
  countWaiting,
  createQuestions,
  draftQuestions,
  listQuestions,
  type QuestionDeskParts,
  type QuestionServices,
  rejectQuestions,
  showQuestions,
  takeBackDecision,
  verifyQuestions,
  waitForQuestions,
} from './operations.js';
export { inOneLine, isPermission, PERMISSION_CHOICES, permissionAsker } from './permission.js';
export type { QuestionDesk } from './question-desk.js';
export { quoteText } from './quote-text.js';
export { QuestionReport, reportOf } from './report.js';
export {
  AnswerInput,
  type Asker,
  type DraftAnswer,
  DraftFile,
  type Option,
  type Question,
  QuestionInput,
  type UserAnswer,
} from './schema.js';
export { type Draft, QuestionSessions, type QuestionSessionsOptions } from './sessions.js';
export { isSettled, type QuestionOutcome } from './state.js';
export { FileQuestionStore } from './store.js';
export type { GivenAnswers } from './verbs/answer.js';
export { isWaiting, type QuestionView } from './view.js';
export type { WaitOptions } from './wait-for-answers.js';
