export { formatAge } from './age.js';
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
export { defineOperation, type Operation } from './operation.js';
export { keysNotTaken, PROJECT_KEYS } from './project-keys.js';
export { redact } from './redact.js';
export { AmbiguousIdError, findId, SessionNotFoundError } from './session-ids.js';
export { type Check, isBoolean, isCount, isOwnTime, isText, isTextOrNull, listOf, shape } from './shape.js';
export { shellWord } from './shell-word.js';
export { escapeCharacter, visibleBlock, visibleExcerpt, visibleJson, visibleLine } from './visible-text.js';
