import type { LogDamage, LogEntry, LogTail } from '../../../storage/index.js';
import type { ConversationStatus } from '../lifecycle.js';
import { type ConversationRecord, fromDisk, type TurnRole } from '../schema.js';
import type { ConversationDamage } from '../view.js';

/** A position in the file, the only name an item has; valid as long as it is the same file. */
interface Placed {
  readonly offset: number;
  /** In bytes, without the LF. */
  readonly length: number;
  /** Counted from 1; null if only the end of the file was read. */
  readonly line: number | null;
}

/** One item of a conversation's file, as shown to a reader. */
export type TranscriptItem = Placed &
  (
    | {
        readonly kind: 'turn';
        /** Counted from 1; null until the turns before it are counted. */
        readonly number: number | null;
        readonly role: TurnRole;
        readonly text: string;
        /** The full length in characters; greater than that of `text` if it was cut. */
        readonly characters: number;
        readonly at: string | null;
        readonly tokens: number;
        readonly model?: string | undefined;
      }
    | { readonly kind: 'failed'; readonly turn: number; readonly reason: string; readonly at: string | null }
    | { readonly kind: 'cleared'; readonly afterTurn: number; readonly at: string | null }
    | {
        readonly kind: 'started';
        readonly agent: string;
        readonly model: string | null;
        readonly permissions: string | null;
        readonly directory: string | null;
        readonly at: string | null;
      }
    | {
        readonly kind: 'used';
        readonly model: string | null;
        readonly inputTokens: number;
        readonly outputTokens: number;
        readonly costUsd: number | null;
        readonly isEstimated: boolean;
        readonly at: string | null;
      }
    | {
        readonly kind: 'status';
        readonly status: ConversationStatus;
        readonly reason: string | null;
        readonly at: string | null;
      }
    | { readonly kind: 'recovered'; readonly kept: number; readonly at: string | null }
    | {
        readonly kind: 'damage';
        readonly reason: ConversationDamage['reason'];
        readonly detail: string;
        /** For a gap: how many records are missing. */
        readonly missing: number | null;
      }
  );

export type Found = Omit<LogEntry, 'line'> | Omit<LogDamage, 'line'> | Omit<LogTail, 'line'>;

/** Longer turns are cut on a page of many, and read in full on demand. */
const PAGE_TEXT = 16_384;

/**
 * Turns a finding into an item; null if it is of no use to a reader. Gaps are added by the caller, who knows what came before.
 */
export function itemOf(found: Found, line: number | null, maxText = PAGE_TEXT): TranscriptItem | null {
  const place = { offset: found.offset, length: found.length, line };
  if (found.kind === 'damage') {
    const { reason, detail } = found;
    return reason === 'gap' ? null : { kind: 'damage', ...place, reason, detail, missing: null };
  }
  const value = found.kind === 'tail' ? found.record?.value : found.value;
  if (value === undefined) return null;
  const record = fromDisk(value);
  if (record === null) return null;
  if (typeof record === 'string')
    return { kind: 'damage', ...place, reason: 'record', detail: record, missing: null };
  const item = itemOfRecord(record, maxText);
  return item === null ? null : ({ ...place, ...item } as TranscriptItem);
}

type Bare<Item> = Item extends unknown ? Omit<Item, keyof Placed> : never;

function itemOfRecord(record: ConversationRecord, maxText: number): Bare<TranscriptItem> | null {
  switch (record.type) {
    case 'metadata':
      return {
        kind: 'started',
        agent: record.agent,
        model: null,
        permissions: null,
        directory: record.workingDirectory,
        at: record.createdAt,
      };
    case 'turn': {
      const { content, timestamp: at, turn: number, role, tokens, model } = record;
      const text = cutText(content, maxText);
      return { kind: 'turn', number, role, text, characters: content.length, at, tokens, model };
    }
    case 'turn_failed':
      return { kind: 'failed', turn: record.turn, reason: record.reason, at: record.timestamp };
    case 'clear':
      return { kind: 'cleared', afterTurn: record.afterTurn, at: record.timestamp };
    case 'launch': {
      const { agent, model, permissions, workingDirectory: directory, timestamp: at } = record;
      return { kind: 'started', agent, model, permissions, directory, at };
    }
    case 'usage': {
      const { model, inputTokens, outputTokens, costUsd, pricedUsd, source, timestamp: at } = record;
      const isEstimated = source === 'estimated' || (costUsd === null && pricedUsd !== null);
      return {
        kind: 'used',
        model,
        inputTokens,
        outputTokens,
        costUsd: costUsd ?? pricedUsd,
        isEstimated,
        at,
      };
    }
    case 'status':
      return { kind: 'status', status: record.status, reason: record.reason, at: record.timestamp };
    case 'recovered':
      return { kind: 'recovered', kept: record.kept, at: record.timestamp };
    case 'agent':
      return null;
  }
}

/** Cuts a text, but not in the middle of a character. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength);
}
