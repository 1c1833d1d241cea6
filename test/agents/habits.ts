import type { TurnEndReason } from '../../src/agents/events.js';

/** In what real agents differ, as measured. */
export interface Habits {
  /** It says when it tries again by itself. */
  readonly tellsRetry: boolean;
  /** What becomes of an overload that stays. */
  readonly overload: TurnEndReason;
  /** What becomes of a broken frame in the stream. */
  readonly brokenFrame: TurnEndReason;
  /** In the minute in which a conversation began it cannot be resumed. */
  readonly resumesFromNextMinute: boolean;
  /** It runs commands without asking where a sandbox holds them. */
  readonly hasSandbox: boolean;
  /** After a break of the stream what was said comes again, and our driver does not notice. */
  readonly repeatsText: boolean;
  /** It tells what a command printed and whether it failed. */
  readonly tellsCommandOutcome: boolean;
  /** A connection that breaks in the middle of an answer is always got over. */
  readonly survivesReset: boolean;
  /** Of a call that was denied it tells no more than that it asked. */
  readonly hidesDeniedCalls: boolean;
  /** Of a turn that is cancelled in its answer not even the prompt is kept. */
  readonly forgetsCancelledAnswer: boolean;
}
