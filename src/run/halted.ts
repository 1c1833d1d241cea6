import { describeMissing, gatesOf, type HeldLoop, isAboutTests, isGreen } from '../sessions/loop/index.js';
import type { Attention } from './attention.js';
import type { RunEnd } from './journal/events.js';
import { askPerson, CHANGE, guidanceOf, type RunQuestion, STOP } from './questions/ask-person.js';
import type { RunMemory, RunParts, SkipWish } from './run-parts.js';
import { runAndTellChecks } from './turn/iterate.js';

const RETRY = 'Try again';
const SKIP = 'Skip this phase';
/** The run that asks is there, so it has to stop before another command can go on with other phases. */
const WORK_HINT = ` If the plan needs no new tests, choose "${STOP}", then: holdfast run <plan> --reset --phases work`;

/** The session is halted: asks a person how to continue, or uses the answer they have already given. Without one the run ends. */
export async function halted(
  parts: RunParts,
  memory: RunMemory,
  attention: Attention,
): Promise<RunEnd | undefined> {
  const { loop } = parts;
  const { skip, refusal } = memory;
  memory.skip = null;
  if (skip !== null) return skipPhase(parts, memory, attention, skip);
  const end = (): RunEnd => ({
    outcome: 'halted',
    reason: refusal ?? loop.state.haltReason,
    missing: refusal === null ? missingOf(loop) : [],
  });
  using cut = attention.cut();
  const answer = await askPerson(parts, breakerQuestion(loop, refusal), cut.signal);
  if (cut.signal.aborted) return undefined;
  memory.refusal = null;
  if (answer === null || answer.choice === STOP) return end();
  if (answer.choice === SKIP) memory.skip = { actor: answer.actor ?? 'inbox', reason: answer.text };
  else loop.reset(guidanceOf(answer));
  return undefined;
}

/**
 * Ends the phase without its gate. The last phase may be skipped only if the checks are green: a run never ends well without
 * that.
 */
async function skipPhase(
  parts: RunParts,
  memory: RunMemory,
  attention: Attention,
  wish: SkipWish,
): Promise<RunEnd | undefined> {
  const { loop, plan, journal } = parts;
  if (hasStories(loop)) {
    memory.refusal = 'a story cannot be skipped: mark its tasks as done in tasks.md, or remove them';
    return undefined;
  }
  if (loop.followingPhase() === undefined) {
    using cut = attention.cut();
    const checks = await runAndTellChecks(parts, cut.signal);
    if (cut.signal.aborted) {
      memory.skip = wish;
      return undefined;
    }
    if (!isGreen(checks)) {
      const why = checks.failure ?? 'no test ran';
      memory.refusal = `${loop.state.currentPhase} is the last phase, and cannot be skipped while the checks fail (${why})`;
      return undefined;
    }
  }
  const phase = loop.state.currentPhase;
  const reason = wish.reason?.trim() || loop.state.haltReason || 'no reason was given';
  const decision = loop.skipPhase({ actor: wish.actor, reason });
  const next = decision.next === 'enter-phase' ? decision.phase : null;
  journal.record({ type: 'phase-skipped', phase, actor: wish.actor, reason, next });
  if (decision.next !== 'complete') return undefined;
  await plan.finish(loop.state.sessionId);
  return { outcome: 'completed', reason: null };
}

function breakerQuestion(loop: HeldLoop, refusal: string | null): RunQuestion {
  const { prpFile, currentPhase } = loop.state;
  const isStory = hasStories(loop);
  const why = refusal ?? `the run was halted: ${haltWords(loop)}`;
  const hint = !isStory && isAboutTests(missingOf(loop)) ? WORK_HINT : '';
  const skip = {
    label: SKIP,
    description: `Continue without the gate of ${currentPhase}; recorded as skipped`,
  };
  return {
    title: 'Breaker',
    prompt: `${prpFile}: ${why}. How should it continue?${hint}`,
    options: [
      { label: RETRY, description: 'Reset the breaker and continue' },
      { label: CHANGE, description: 'The same; the agent is told so, in your own words if you add some' },
      ...(isStory ? [] : [skip]),
      { label: STOP, description: 'End here; `holdfast run` with --reset or --skip resumes later' },
    ],
  };
}

/** Why the session halted, and what its phase lacks, in numbers. */
function haltWords(loop: HeldLoop): string {
  const { state, dualGate } = loop.documents;
  const { isMeasured, first, second } = gatesOf(state, dualGate);
  const reason = (state.haltReason ?? 'the breaker is open').replace(/\.+$/, '');
  const words = describeMissing(missingOf(loop));
  if (words !== '')
    return `${reason}; the gate is not met: ${words}${second ? ' (the agent says it is done)' : ''}`;
  return isMeasured && first && !second
    ? `${reason}; the checks pass, but the agent does not say that it is done`
    : reason;
}

/** What the phase lacks. For a run that failed, "nothing was measured" is left out: that is no news. */
function missingOf(loop: HeldLoop) {
  const { state, dualGate } = loop.documents;
  return gatesOf(state, dualGate).missing.filter(({ what }) => what !== 'measurement');
}

function hasStories({ state }: HeldLoop): boolean {
  return state.storiesTotal !== undefined;
}
