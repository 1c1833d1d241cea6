import { redact } from '../../foundation/index.js';
import { gapsOf } from './gaps.js';
import { iterationsOf } from './iterations.js';
import { partOfJournal } from './of-journal.js';
import { partOfLoop } from './of-loop.js';
import { askedIn, permissionsOf } from './people.js';
import { REPORT_VERSION, type ReportSources, type RunReport } from './report-document.js';
import { HistoryFold } from './run-history.js';
import { spentTime } from './spent-time.js';

/** Puts a report together, without any secrets. Pure: whatever is unknown is 0, null or empty. */
export function reportRun(sources: ReportSources): RunReport {
  const { loop, conversation, files, worktree = null, isRunning = false } = sources;
  const history = sources.history ?? new HistoryFold().end({ isThere: false, damagedLines: 0 }, isRunning);
  const part = loop === undefined ? partOfJournal(history, conversation) : partOfLoop(loop, conversation);
  const questions = askedIn(sources.questions, history);
  const uncommitted = new Set(loop?.state.startedFrom?.uncommitted);
  return withoutSecrets({
    version: REPORT_VERSION,
    madeAt: sources.madeAt ?? part.lastActivityAt,
    sessionId: loop?.sessionId ?? sources.sessionId ?? '',
    project: sources.project ?? { path: '', isThere: true },
    agent: history.processes.at(-1)?.agent ?? conversation?.metadata.agent ?? null,
    ...part,
    isRunning,
    ...spentTime(history, questions),
    priceSources: [...new Set(conversation?.usage.flatMap(({ priceSource }) => priceSource ?? []))],
    iterations: iterationsOf(history, conversation, questions),
    files: files?.map((file) => ({ ...file, wasUncommitted: uncommitted.has(file.path) })) ?? null,
    questions,
    permissions: permissionsOf(history, questions),
    openings: history.openings,
    processes: history.processes,
    waits: history.waits,
    requests: history.requests,
    conversation: conversation?.metadata.id ?? null,
    lastWords: sources.lastWords,
    log: sources.log,
    worktree,
    commands: [...(sources.commands ?? [])],
    gaps: gapsOf({ ...sources, history, questions }),
  });
}

/** A report is meant to be passed on: every text in it is redacted, including what people answered. */
function withoutSecrets<Value>(value: Value): Value {
  return cleaned(value) as Value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleaned(inner)]));
}
