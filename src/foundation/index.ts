export { formatAge } from './age.js';
export { BarredStream, type BarredStreamOptions } from './barred-stream.js';
export { type Clock, sleepOrHint, systemClock, timestamp } from './clock.js';
export { counted } from './counted.js';
export { withoutNoise } from './dollars.js';
export {
  AbortedError,
  HoldfastError,
  type HoldfastErrorOptions,
  InvalidInputError,
  isHoldfastError,
  messageOf,
  throwIfAborted,
} from './errors.js';
export { type Ids, isUuidV4, systemIds, uuidFrom } from './ids.js';
export {
  allows,
  defineLifecycle,
  IllegalTransitionError,
  isTerminal,
  type Lifecycle,
  next,
} from './lifecycle.js';
export { type LogFields, type Logger, silentLogger } from './log.js';
export { inMarkdown, quoted } from './markdown-quote.js';
export { defineOperation, type Operation } from './operation.js';
export { keysNotTaken, PROJECT_KEYS } from './project-keys.js';
export { openPrivateKey, redact } from './redact.js';
export { AmbiguousIdError, findId, SessionNotFoundError } from './session-ids.js';
export { type Check, isBoolean, isCount, isOwnTime, isText, isTextOrNull, listOf, shape } from './shape.js';
export { shellWord } from './shell-word.js';
export {
  escapeCharacter,
  visibleBlock,
  visibleExcerpt,
  visibleJson,
  visibleLabel,
  visibleLine,
} from './visible-text.js';
export { BAR, barred, breakWord, columnsOf, rowsOf, wrapSpans, wrapText } from './wrap.js';
