import type { ChangePlan } from '../../plans/index.js';
import { countBlock, formatLearnings, insertLearnings } from './learnings.js';
import type { ChangeState } from './schema.js';

/**
 * Writes into design.md the learnings it does not have yet, and returns the state that records this. It first saves the
 * block to be written and how often it is already there, so that after a crash `settleFlush` can see whether it was
 * written.
 */
export function flushLearnings(
  plan: ChangePlan,
  state: ChangeState,
  save: (state: ChangeState) => void,
): ChangeState {
  const upTo = state.learnings.length;
  if (state.flushedLearnings >= upTo) return state;
  const block = formatLearnings(state.learnings.slice(state.flushedLearnings));
  const countBefore = countBlock(plan.read('design.md') ?? '', block);
  save({ ...state, flush: { block, countBefore, upTo } });
  plan.updateDesign((file) => insertLearnings(file, block));
  return { ...state, flushedLearnings: upTo, flush: null };
}

/** Settles a flush whose process died: either its block is in design.md once more than before, or it is not. */
export function settleFlush(state: ChangeState, readDesign: () => string | undefined): ChangeState {
  const { flush } = state;
  if (flush === null) return state;
  const isWritten = countBlock(readDesign() ?? '', flush.block) > flush.countBefore;
  return { ...state, flushedLearnings: isWritten ? flush.upTo : state.flushedLearnings, flush: null };
}
