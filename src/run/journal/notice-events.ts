import { messageOf } from '../../foundation/index.js';
import type { NoticeEvent } from '../../notices/index.js';
import type { RunEnd } from './events.js';
import type { JournalEntry } from './read-journal.js';

/** What of a run a person wants to know, beside its questions, which are told as questions. */
export interface RunTeller {
  /** What an entry of the journal means, in their order; undefined where nobody need know. */
  take(entry: JournalEntry): NoticeEvent | undefined;
  /** That it broke off with an error; undefined where it had not begun. */
  fail(error: unknown, now: Date): NoticeEvent | undefined;
}

interface Told {
  readonly kind: NoticeEvent['kind'];
  readonly detail?: string;
  readonly text?: string | null;
}

/** Follows one opening of a run: an event of an earlier one was told by then. */
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
        // Once, however often it dies again.
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

/** Who stopped a run, or has just answered how it goes on, knows; who has to answer a question is told of that. */
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
      return undefined;
  }
}
