export type { InboxAction } from './act.js';
export {
  answersFromDraft,
  choose,
  chooseOther,
  EMPTY_ANSWER,
  type Fault,
  faultIn,
  isTouched,
  recommendedIndex,
  toAnswerInputs,
} from './answers.js';
export {
  currentQuestion,
  draftOf,
  faultAt,
  INITIAL_STATE,
  type InboxEffect,
  type InboxState,
  listedSets,
  type OpenSet,
  unreadFault,
  writtenText,
} from './state.js';
export { type Departure, type InboxEvent, update } from './update.js';
