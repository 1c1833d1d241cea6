import { isHoldfastError } from '../../foundation/index.js';
import type { QuestionSessions, QuestionView } from '../../sessions/question/index.js';
import { isEnd, RUN, STOP, undecidedOrNew } from './ask-person.js';

const TITLE = 'Restart';

/** The question about a run that only a person can start again. */
export interface RestartQuestion {
  readonly sessionId: string;
  readonly projectDirectory: string;
  readonly plan: string;
  readonly why: string;
  /** What they type. */
  readonly command: string;
}

export function isRestartQuestion({ questions: [first] }: Pick<QuestionView, 'questions'>): boolean {
  return first?.title === TITLE;
}

/** Whether a person was asked to start the run again and said no. */
export async function isRestartRefused(questions: QuestionSessions, sessionId: string): Promise<boolean> {
  return (await restartQuestions(questions, sessionId)).some(isEnd);
}

/**
 * Asks a person to start a run again. The question is withdrawn as soon as the run works. While one is waiting, or is
 * answered and not yet heard by the run, no other is asked unless the reason has changed. Returns the new set.
 */
export async function askRestart(
  questions: QuestionSessions,
  { sessionId, projectDirectory, plan, why, command }: RestartQuestion,
): Promise<QuestionView | undefined> {
  const prompt = `${plan} was working and was not started again: ${why}. Start it with: ${command}`;
  for (const earlier of await restartQuestions(questions, sessionId)) {
    if (earlier.outcome.status !== 'pending' || earlier.questions[0]?.prompt === prompt) return undefined;
    await withdraw(questions, earlier.id);
  }
  const options = [
    { label: 'Resume', description: `You start it: ${command}` },
    { label: STOP, description: 'It stays as it is; it can be resumed later' },
  ];
  return questions.create([{ title: TITLE, prompt, options }], {
    asker: { agent: RUN, session: sessionId },
    workingDirectory: projectDirectory,
  });
}

async function restartQuestions(questions: QuestionSessions, sessionId: string): Promise<QuestionView[]> {
  return (await undecidedOrNew(questions, sessionId)).filter(isRestartQuestion);
}

async function withdraw(questions: QuestionSessions, id: string): Promise<void> {
  try {
    await questions.cancel(id, 'there is another reason now');
  } catch (error) {
    // It was answered in the meantime, and that counts.
    if (!isHoldfastError(error)) throw error;
  }
}
