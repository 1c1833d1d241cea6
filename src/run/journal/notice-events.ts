import { messageOf } from '../../foundation/index.js';
import type { NoticeEvent } from '../../notices/index.js';
import type { RunEnd } from './events.js';
import type { JournalEntry } from './read-journal.js';

/** What a person wants to know about a run, apart from its questions, which have notices of their own. */
export interface RunTeller {
  /** The notice for a journal entry, called with the entries in order; undefined if there is none. */
  take(entry: JournalEntry): NoticeEvent | undefined;
  /** The notice that the run broke off with an error; undefined if it had not begun. */
  fail(error: unknown, now: Date): NoticeEvent | undefined;
}

interface Told {
  readonly kind: NoticeEvent['kind'];
  readonly detail?: string;
  readonly text?: string | null;
}

/** Follows one opening of a run: notices for events of earlier openings have been sent already. */
export function runTeller(directory: string): RunTeller {
  let run: { readonly sessionId: string; readonly agent: string } | undefined;
  let isAsked = false;
  let isWithoutQuota = false;
  let isDead = false;

  function judge({ event }: JournalEntry): Told | undefined {
    switch (event.type) {
      case 'run-start':
        run = event;
        return undefined;
      case 'question':
        isAsked ||= event.from === 'run';
        return undefined;
      case 'waiting': {
        const isNew = event.cause === 'quota' && !isWithoutQuota;
        isWithoutQuota ||= event.cause === 'quota';
        return isNew ? { kind: 'limit', detail: 'quota' } : undefined;
      }
      case 'iteration-start': {
        const isBack = isWithoutQuota;
        isWithoutQuota = false;
        return isBack ? { kind: 'quota-back' } : undefined;
      }
      case 'agent': {
        if (event.event.type !== 'turn-end') return undefined;
        // Once, however often the agent dies after that.
        const isNew = event.event.reason === 'died' && !isDead;
        isDead = event.event.reason === 'died';
        return isNew ? { kind: 'agent-died', text: event.event.message } : undefined;
      }
      case 'run-end':
        return endOf(event, isAsked);
      default:
        return undefined;
    }
  }

  function eventOf(told: Told | undefined, place: string, at: string): NoticeEvent | undefined {
    if (told === undefined || run === undefined) return undefined;
    const { sessionId, agent } = run;
    return {
      key: `run:${sessionId}:${place}`,
      kind: told.kind,
      at,
      question: null,
      directory,
      agent,
      shortId: sessionId.slice(0, 8),
      detail: told.detail ?? null,
      text: told.text ?? null,
    };
  }

  return {
    take: (entry) => eventOf(judge(entry), String(entry.seq), entry.at),
    fail(error, now) {
      const at = now.toISOString();
      return eventOf({ kind: 'run-ended', detail: 'failed', text: messageOf(error) }, `failed:${at}`, at);
    },
  };
}

/** Whoever stopped a run, or has just answered how to continue, knows; a question that must be answered has its own notice. */
function endOf({ outcome, reason }: RunEnd, isAsked: boolean): Told | undefined {
  switch (outcome) {
    case 'completed':
      return { kind: 'run-ended', detail: 'completed', text: reason };
    case 'halted':
      return isAsked ? undefined : { kind: 'breaker', detail: 'halted', text: reason };
    case 'limit':
      return isAsked ? undefined : { kind: 'limit', detail: 'ended', text: reason };
    case 'needs-person':
    case 'stopped':
    case 'interrupted':
    // Told by the error itself.
    case 'failed':
      return undefined;
  }
}
