import { amountIn, amountOf, type DayLedger, type DayStanding } from '../../accounts/index.js';
import { isHoldfastError } from '../../foundation/index.js';
import type { LimitWait } from '../../sessions/loop/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import type { Lock } from '../../storage/index.js';
import type { Attention } from '../attention.js';
import { questionEvent } from '../journal/events.js';
import { RUN } from '../questions/ask-person.js';
import type { RunParts } from '../run-parts.js';

type DayWait = Extract<LimitWait, { cause: 'day-budget' }>;

/** A process that dies gives no sign, so the others look again this often. */
const LOOK_AGAIN_MS = 10_000;

/**
 * Waits for the next day, or until a person raises today's budget. One of the waiting runs asks; the others wait for the
 * answer it gets. If the asking run is gone, another one takes over the question.
 */
export async function waitForDay(parts: RunParts, wait: DayWait, attention: Attention): Promise<void> {
  const { loop, clock, shared, isUnattended } = parts;
  const days = shared?.days;
  // The budget was configured when the wait began and no longer is.
  if (days === undefined) return loop.endSharedWait();
  for (;;) {
    const standing = days.standing();
    if (standing === undefined || standing.until !== wait.until) return loop.endSharedWait();
    let tell = () => {};
    const hint = new Promise<void>((resolve) => {
      tell = resolve;
    });
    using _watch = days.watch(standing.day, () => tell());
    using asking = isUnattended || standing.isFinal ? undefined : days.tryAsk(standing.day);
    if (asking !== undefined) await askAndDecide(parts, days, { standing, lock: asking, attention });
    else {
      const nextLookMs = clock.now().getTime() + LOOK_AGAIN_MS;
      await attention.wait(Math.min(Date.parse(wait.until), nextLookMs), hint);
    }
    if (attention.reason !== undefined) return;
  }
}

interface Asking {
  readonly standing: DayStanding;
  readonly lock: Lock;
  readonly attention: Attention;
}

/** Asks until somebody answers, the day is over, or this run has something else to do. */
async function askAndDecide(
  parts: RunParts,
  days: DayLedger,
  { standing, lock, attention }: Asking,
): Promise<void> {
  const { questions, journal } = parts;
  const view = (await askedBefore(parts, standing)) ?? (await ask(parts, standing));
  if (view.outcome.status === 'pending') {
    await questions.noteAsker(view.id, 'waiting');
    journal.record(questionEvent(view, 'run'));
  }
  using cut = attention.cut();
  const over = new AbortController();
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  void attention.wait(Date.parse(standing.until), stopped).then(() => over.abort());
  try {
    const outcome = await questions.wait(view.id, { signal: AbortSignal.any([cut.signal, over.signal]) });
    days.decide(lock, standing.day, decisionOf(standing, outcome));
    using delivery = await questions.collect(view.id);
    delivery.confirm();
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'ABORTED') throw error;
    // Another waiting run takes over the question; once the day is over nobody needs it.
    if (cut.signal.aborted) await questions.noteAsker(view.id, 'gone');
    else await questions.cancel(view.id, 'the day is over');
  } finally {
    stop();
  }
}

function titleOf({ day }: DayStanding): string {
  return `Budget of ${day}`;
}

/** A question about this day that is undecided, or decided but not heard yet, whichever run asked it. */
async function askedBefore(
  { questions }: RunParts,
  standing: DayStanding,
): Promise<QuestionView | undefined> {
  const title = titleOf(standing);
  return (await questions.list()).find(
    ({ asker, questions: [first], outcome: { status }, collectedAt }) =>
      asker?.agent === RUN &&
      first?.title === title &&
      (status === 'pending' || ((status === 'completed' || status === 'rejected') && collectedAt === null)),
  );
}

const WAIT = 'Wait for tomorrow';

function ask({ questions, projectDirectory, loop }: RunParts, standing: DayStanding): Promise<QuestionView> {
  const { reached } = standing;
  const raised = amountOf(reached.what, reached.raised);
  return questions.create(
    [
      {
        title: titleOf(standing),
        prompt: `The daily budget is used up: ${reached.words}. Raise it to ${raised}? All runs are waiting for it; you can also type an amount.`,
        options: [
          { label: `Raise it to ${raised}`, description: 'For today; all waiting runs continue' },
          { label: WAIT, description: 'They continue by themselves at midnight' },
        ],
      },
    ],
    {
      asker: { agent: RUN, session: loop.state.sessionId },
      workingDirectory: projectDirectory,
      isWaiting: true,
    },
  );
}

/** A written amount counts; any other text raises nothing. */
function decisionOf({ reached }: DayStanding, outcome: QuestionView['outcome']) {
  if (outcome.status !== 'completed') return { isFinal: true };
  const [answer] = outcome.answers;
  const written = amountIn(answer?.customText ?? '');
  const isRaised = answer?.selectedOption != null && answer.selectedOption !== WAIT;
  const limit =
    written ?? (isRaised ? amountIn(answer.selectedOption?.replace(/^Raise it to /, '') ?? '') : undefined);
  if (limit === undefined) return { isFinal: true };
  return reached.what === 'costUsd' ? { costUsd: limit } : { tokens: limit };
}
