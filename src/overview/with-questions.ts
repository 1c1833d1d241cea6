import { inOneLine, type QuestionView } from '../sessions/question/index.js';
import type { OverviewRow, RowQuestion } from './row.js';

/**
 * Adds the waiting questions to the rows: those of a run, a chat or an agent known by its hooks go into its row, and
 * every other question becomes a row of its own. `pending` is oldest first. A question belongs only to a run of its own
 * machine, whatever it claims.
 */
export function withQuestions(rows: readonly OverviewRow[], pending: readonly QuestionView[]): OverviewRow[] {
  const bySession = new Map<string, QuestionView[]>();
  for (const view of pending) {
    const session = view.asker?.session ?? view.asker?.hook;
    if (session === undefined) continue;
    const place = placeOf(view.machine, session);
    bySession.set(place, [...(bySession.get(place) ?? []), view]);
  }
  const placed = new Set<string>();
  const asking = rows.map((row) => {
    // A row that has ended waits for nobody, whatever was left behind; such a question gets a row of its own.
    const asked = row.group === 'ended' ? undefined : bySession.get(placeOf(row.machine, row.id));
    const [first] = asked ?? [];
    if (asked === undefined || first === undefined) return row;
    for (const { id } of asked) placed.add(id);
    return {
      ...row,
      group: 'asks',
      since: first.createdAt,
      question: questionOf(first, asked.length - 1),
    } as const;
  });
  return [...asking, ...pending.filter(({ id }) => !placed.has(id)).map(questionRow)];
}

/** Machine names contain no slash. */
function placeOf(machine: string | undefined, session: string): string {
  return `${machine ?? ''}/${session}`;
}

function questionRow(view: QuestionView): OverviewRow {
  const { id, createdAt, asker, workingDirectory, isAskerGone, machine } = view;
  return {
    key: `question:${id}`,
    kind: 'question',
    id,
    ...(machine === undefined ? {} : { machine }),
    project: workingDirectory,
    title: 'question',
    agent: asker?.agent ?? null,
    group: 'asks',
    status: 'pending',
    phase: null,
    tests: [],
    cost: null,
    startedAt: createdAt,
    since: createdAt,
    why: isAskerGone === true ? 'the asker is gone; an answer is kept for it' : null,
    question: questionOf(view, 0),
    isRunning: false,
    isArchived: false,
  };
}

function questionOf({ id, questions: [first] }: QuestionView, more: number): RowQuestion {
  return { id, title: first?.title ?? '', prompt: inOneLine(first?.prompt ?? ''), more };
}
