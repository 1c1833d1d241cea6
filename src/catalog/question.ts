import { join } from 'node:path';
import { inMarkdown, isUuidV4, quoted, redact } from '../foundation/index.js';
import {
  describeAnswers,
  type FileQuestionStore,
  type QuestionReport,
  type QuestionSessions,
  type QuestionView,
  questionLifecycle,
  reportOf,
} from '../sessions/question/index.js';
import { exportFacts, exportRecord, oneLine } from './export.js';
import { faultsOf } from './faults.js';
import type { CatalogKind, Recovery, SessionSummary } from './kind.js';
import { trashOf } from './trash.js';

/** How long a deletion waits for an answer that is being written. */
const WAIT_MS = 2_000;

/** Question sets in the catalog. */
export function questionKind(tools: {
  readonly questions: QuestionSessions;
  readonly store: FileQuestionStore;
}): CatalogKind {
  const { questions, store } = tools;
  const verify = async (id: string) => faultsOf(await questions.verify(id));
  const recover = async (id: string): Promise<Recovery> => {
    const found = await verify(id);
    if (found.length === 0) return { found, told: 'It is intact.', keptAt: null, left: [] };
    await questions.recover(id);
    const left = await verify(id);
    const told = left.length < found.length ? MENDED : NOT_MENDED;
    return { found, told, keptAt: null, left };
  };
  return {
    kind: 'question',
    statuses: questionLifecycle.states,
    ids: () => questions.ids(),
    list: async () => (await questions.list()).map(summaryOf),
    summarize: async (id) => summaryOf(await questions.get(id)),
    get: async (id) => ({ kind: 'question', detail: reportOf(await questions.get(id)) }),
    verify,
    recover,
    export: async (id, format) => {
      const view = await questions.get(id);
      const report = reportOf(view);
      return format === 'json' ? exportRecord(report) : exportFacts(summaryOf(view), sectionsOf(report));
    },
    remove: async (id) => {
      using held = await store.hold(id, { waitMs: WAIT_MS });
      held.retire();
    },
    retentionMs: questions.retentionMs,
    retirable: (before) => questions.retirable(before),
    ...trashOf(
      ...store.places.map(({ directory, trash }) => ({
        trash,
        isId: isUuidV4,
        pathOf: (id: string) => join(directory, id),
      })),
    ),
  };
}

const MENDED =
  'What did not verify was set aside next to it; an outcome that another program changed is accepted as it is now.';
const NOT_MENDED =
  'Nothing could be repaired: without its questions a set cannot be answered. `holdfast sessions delete` moves it to the trash.';

function summaryOf(view: QuestionView): SessionSummary {
  const { status } = view.outcome;
  return {
    kind: 'question',
    id: view.id,
    status,
    title: view.questions[0]?.prompt ?? '',
    agent: view.asker?.agent ?? null,
    workingDirectory: view.workingDirectory,
    createdAt: view.createdAt,
    lastActivity: view.lastActivityAt,
    isDamaged: view.faults.length > 0,
    isLive: status === 'pending',
    isEnded: status !== 'pending',
    isHidden: false,
  };
}

function sectionsOf(report: QuestionReport): string[] {
  const asked = report.questions.map(({ title, prompt, options }, index) => {
    const choices = options.map(({ label, description }) => {
      const more = description === undefined ? '' : `: ${named(description)}`;
      return `- ${named(label)}${more}`;
    });
    return `## ${index + 1}. ${named(title)}\n\n${quoted(redact(prompt))}\n\n${choices.join('\n')}`;
  });
  if (report.answers !== null)
    return [...asked, `## Answers\n\n${quoted(redact(describeAnswers(report.questions, report.answers)))}`];
  const reason = report.rejectionReason ?? report.abandonedReason;
  return reason === null ? asked : [...asked, `## Reason\n\n${quoted(redact(reason))}`];
}

function named(text: string): string {
  return inMarkdown(redact(oneLine(text)));
}
