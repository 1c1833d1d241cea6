export {
  type Continuation,
  type TurnOptions,
  type TurnOutcome,
  TurnTaker,
  type TurnTakerOptions,
} from './take-turn.js';
