import * as z from 'zod';
import { isHoldfastError, type Logger, messageOf, redact } from '../../foundation/index.js';
import { type CheckpointRow, type Checkpoints, FleetRuleError, type HubFence } from '../../hub/index.js';
import type { RunServices } from '../../run/index.js';
import { LoopExportForm } from '../../sessions/loop/index.js';
import { isPermission, type QuestionView } from '../../sessions/question/index.js';
import type { LogRecord } from '../../storage/index.js';
import { readMirrored } from '../questions/mirrored-question.js';

export interface AdoptOptions {
  readonly services: RunServices;
  readonly checkpoints: Checkpoints;
  readonly fence: HubFence;
  readonly last: CheckpointRow;
  readonly log: Logger;
}

/**
 * Takes in what another machine knew about a run: its loop, its conversation, its open questions. Doing it twice has
 * the same effect as once. Throws DOCUMENT_DAMAGED, INVALID_INPUT, LOCKED, and what the hub throws.
 */
export async function adoptRun(options: AdoptOptions): Promise<void> {
  const { services, checkpoints, fence, last } = options;
  const { projectDirectory } = services;
  // The sets are here before anybody is told so: an answer that comes at once finds them.
  const early = await adoptQuestions(options, questionsOf(await checkpoints.asked(fence.entry), last));
  const moved = await takeOver(options, early);
  const documents = LoopExportForm.parse(last.documents);
  const records = await checkpoints.records(fence.entry, last.records);
  await services
    .openConversations()
    .adopt(`run-${last.run}`, [...records, ...promptOf(records, last)] as LogRecord[], {
      workingDirectory: projectDirectory,
    });
  // What was decided there in the meantime is decided here.
  await adoptQuestions(options, questionsOf(moved, last));
  // Last, because this is what brings the run here.
  await services.openLoops().adopt(documents, last.machine);
}

/**
 * From here on, answers given elsewhere come to this machine. If the run turns out not to be ours, its sets here are
 * cancelled.
 */
async function takeOver(
  { services, checkpoints, fence, last }: AdoptOptions,
  adopted: readonly string[],
): Promise<{ id: string; summary: unknown }[]> {
  try {
    return await checkpoints.takeOver(fence);
  } catch (error) {
    if (error instanceof FleetRuleError)
      for (const id of adopted) await services.questions.cancel(id, `run ${last.run} continued elsewhere`);
    throw error;
  }
}

/** Returns the ids of the sets that were not here before. */
async function adoptQuestions(
  { services, log }: AdoptOptions,
  views: readonly QuestionView[],
): Promise<string[]> {
  const { questions, projectDirectory } = services;
  const adopted: string[] = [];
  for (const view of views) {
    try {
      if (await questions.adopt({ view, workingDirectory: projectDirectory })) adopted.push(view.id);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      log.warn('fleet.question-not-adopted', { question: view.id, error: messageOf(error) });
    }
  }
  return adopted;
}

/** A prompt that was about to be sent counts as sent: a person who opens the conversation finds it without an answer. */
function promptOf(records: readonly Record<string, unknown>[], { prompt, at }: CheckpointRow): LogRecord[] {
  if (prompt === null || records.length === 0) return [];
  const turn =
    Math.max(0, ...records.map((record) => (record.type === 'turn' ? Number(record.turn) : 0))) + 1;
  const content = redact(prompt);
  const tokens = Math.ceil(content.length / 4);
  return [
    { type: 'status', status: 'active', timestamp: at, turns: turn - 1 },
    { type: 'turn', role: 'user', content, timestamp: at, tokens, turn },
  ];
}

/**
 * The sets as the mirror has them, which is newer, or as the checkpoint has them if they never got there. Permissions
 * are asked again.
 */
function questionsOf(
  moved: readonly { readonly id: string; readonly summary: unknown }[],
  { questions, run }: CheckpointRow,
): QuestionView[] {
  const found = new Map<string, QuestionView>();
  const summaries = [...questions.map((summary) => ({ summary })), ...moved];
  for (const { summary } of summaries) {
    const view = readMirrored(Summary.safeParse(summary).data);
    if (view === undefined || view.asker?.session !== run || isPermission(view)) continue;
    found.set(view.id, view);
  }
  return [...found.values()];
}

/** Any JSON object; `readMirrored` checks its form. */
const Summary = z.record(z.string(), z.unknown());
