import { BAR, barred, visibleLabel } from '../../foundation/index.js';
import type { QuestionView } from './view.js';

/** The asker, in one line. */
export function askerLine({ asker, questions }: Pick<QuestionView, 'asker' | 'questions'>): string {
  const who = visibleLabel(asker?.agent ?? 'The agent');
  return questions.length === 1 ? `${who} asks:` : `${who} asks ${questions.length} questions:`;
}

/** The full question set as lines, for a place where nothing can be answered; the asker's own text stands after a bar. */
export function cardLines(view: Pick<QuestionView, 'asker' | 'questions'>): string[] {
  const lines = view.questions.flatMap(({ title, prompt, options }) => [
    `${BAR}${visibleLabel(title)}`,
    ...barred(prompt).split('\n'),
    ...options.map(
      ({ label, description }, index) =>
        `${index + 1}. ${visibleLabel(label)}${description ? `: ${visibleLabel(description)}` : ''}`,
    ),
  ]);
  return [askerLine(view), ...lines];
}
