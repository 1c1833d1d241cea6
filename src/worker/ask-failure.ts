import { visibleLine } from '../foundation/index.js';
import type { Entry, Queue } from '../queue/index.js';
import type { QuestionSessions, QuestionView } from '../sessions/question/index.js';

/** The asker's name. */
export const WORKER = 'holdfast worker';
const TITLE = 'Queue';
const AGAIN = 'Try again';
const GO_ON = 'Go on';
const STOP = 'Stop';

/** Asks what to do about a failed entry, unless that was already asked. Returns the id of the question set. */
export async function askAboutFailure(
  questions: QuestionSessions,
  { id, plan, project, runId }: Entry,
  reason: string,
): Promise<string> {
  const prompt = `${visibleLine(plan.name)} (${id.slice(0, 8)}) failed: ${reason}. What should happen to it, and to what comes after it?`;
  const isSame = ({ outcome, questions: [first] }: QuestionView) =>
    outcome.status === 'pending' && first?.title === TITLE && first.prompt === prompt;
  const earlier = (await questions.list()).find(isSame);
  if (earlier !== undefined) return earlier.id;
  const options = [
    { label: AGAIN, description: 'Its run is resumed, or started if there is none' },
    { label: GO_ON, description: 'It stays failed, and what comes after it runs all the same' },
    { label: STOP, description: 'It stays failed, and what comes after it stays blocked' },
  ];
  const asker = { agent: WORKER, ...(runId === null ? {} : { session: runId }) };
  const view = await questions.create([{ title: TITLE, prompt, options }], {
    asker,
    workingDirectory: project,
  });
  return view.id;
}

/** Does what people decided about failed entries. A question that was rejected or is gone means stop. */
export async function settleFailures(
  questions: QuestionSessions,
  queue: Queue,
  entries: readonly Entry[],
): Promise<void> {
  const asked = entries.filter(({ status, question }) => status === 'failed' && question !== null);
  if (asked.length === 0) return;
  const views = new Map((await questions.list()).map((view) => [view.id, view]));
  for (const entry of asked) {
    const outcome = views.get(entry.question ?? '')?.outcome;
    if (outcome?.status === 'pending') continue;
    const choice = outcome?.status === 'completed' ? outcome.answers[0]?.selectedOption : STOP;
    if (choice === AGAIN) await queue.retry(entry.id);
    else await queue.settle(entry.id, choice === GO_ON ? 'continue' : 'stop');
  }
}
