export { type Actor, actorIn, mcpActor, OUTSIDE } from './actor.js';
export { ringBell } from './bell.js';
export { type Clock, DAY_MS, sleepOrHint, startOfDay, systemClock, timestamp } from './clock.js';
export {
  AbortedError,
  HoldfastError,
  type HoldfastErrorOptions,
  InvalidInputError,
  isHoldfastError,
  messageOf,
  throwIfAborted,
} from './errors.js';
export { firstIssue } from './first-issue.js';
export { type Ids, isUuidV4, systemIds, uuidFrom } from './ids.js';
export { isObject } from './is-object.js';
export { allows, defineLifecycle, IllegalTransitionError, isTerminal, next } from './lifecycle.js';
export { type LogFields, type Logger, silentLogger } from './log.js';
export {
  checkInput,
  defineOperation,
  type Operation,
  type OperationContext,
  type OperationFacts,
  type Surface,
} from './operation.js';
export { ASKS_PERMISSION, isPermission, PERMISSION_CHOICES } from './permission-card.js';
export { keysNotTaken, PROJECT_KEYS } from './project-keys.js';
export {
  anything,
  type Codec,
  count,
  filledText,
  flag,
  lenient,
  listOf,
  mapOf,
  named,
  nullable,
  nullIfAbsent,
  number,
  object,
  oneOf,
  optional,
  pairOf,
  RecordFault,
  type RecordOf,
  record,
  type Scalar,
  scalar,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
  withDefault,
} from './record.js';
export { openPrivateKey, redact } from './redact.js';
export type { Retirable } from './retirable.js';
export { AmbiguousIdError, findId, SessionNotFoundError } from './session-ids.js';
export { formatAge } from './text/age.js';
export { BarredStream } from './text/barred-stream.js';
export { counted } from './text/counted.js';
export { costWords, dollarsText, type KnownCost, withoutNoise } from './text/dollars.js';
export { inMarkdown, quoted } from './text/markdown-quote.js';
export { shellWord } from './text/shell-word.js';
export { sparkline } from './text/sparkline.js';
export { visibleBlock, visibleExcerpt, visibleJson, visibleLabel, visibleLine } from './text/visible-text.js';
export { BAR, barred, breakWord, columnsOf, rowsOf, wrapSpans, wrapText } from './text/wrap.js';
export { VERSION } from './version.js';
