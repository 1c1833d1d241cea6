import { expect } from 'vitest';
import type { QuestionOutcome } from '../../src/sessions/question/index.js';
import { FileQuestionStore } from '../../src/sessions/question/index.js';
import { outcomeOf } from '../../src/sessions/question/state.js';
import type { Act, Ending, Worker, WorkerPlace } from './question-workers.js';
import { question } from './question-world.js';
import type { SeededRandom } from './seeded-random.js';
import { storageTools } from './storage-tools.js';

const LABELS = ['A', 'B', 'C', 'D'];
export const RACED_SET = [question({ options: LABELS.map((label) => ({ label })) })];

/**
 * One round: all workers answer (differently), reject or time out one set at the same instant. It ends with exactly one
 * outcome, and every worker that was refused was told that outcome.
 */
export async function race(
  workers: readonly Worker[],
  place: WorkerPlace,
  id: string,
  random: SeededRandom,
): Promise<void> {
  const startAt = Date.now() + 4;
  const acts = workers.map((_, index) => randomAct(id, index, random));
  const endings = await Promise.all(
    workers.map((worker, index) => worker.order({ place, act: acts[index] as Act, startAt })),
  );
  const store = new FileQuestionStore(storageTools(), place);
  const final = outcomeOf(store.readOnce(id), new Date());
  const story = JSON.stringify({ acts, endings, final }, null, 1);
  const winners = endings.filter((ending, index) => ending.kind === 'done' && acts[index]?.name !== 'expire');
  const hasDeciders = acts.some((act) => act.name !== 'expire');
  expect(final.status, story).toMatch(hasDeciders ? /^(completed|rejected)$/ : /^timed_out$/);
  if (hasDeciders) expect(winners.length, story).toBeGreaterThanOrEqual(1);
  for (const [index, ending] of endings.entries()) assertAgrees(acts[index] as Act, ending, final, story);
}

function randomAct(id: string, index: number, random: SeededRandom): Act {
  const chance = random.next();
  if (chance < 0.6)
    return {
      name: 'answer',
      id,
      answers: [
        {
          questionIndex: 0,
          selectedOption: random.pick(LABELS),
          customText: random.chance(0.5) ? `by ${index}` : '',
        },
      ],
    };
  if (chance < 0.85) return { name: 'reject', id, reason: random.chance(0.5) ? `by ${index}` : null };
  return { name: 'expire', id };
}

/** The winner got the final outcome; losers were refused with it; a timeout reported the earlier or the final state. */
function assertAgrees(act: Act, ending: Ending, final: QuestionOutcome, story: string): void {
  if (act.name === 'expire') {
    expect(ending.kind, story).toBe('done');
    const seen = (ending as { value: QuestionOutcome }).value;
    if (seen.status !== 'timed_out') expect(seen, story).toEqual(final);
  } else if (ending.kind === 'done') {
    expect(ending.value, story).toEqual(final);
  } else {
    expect(ending, story).toMatchObject({ kind: 'failed', code: 'ALREADY_SETTLED', outcome: final });
  }
}
