import type { KnownProcess } from '../family.js';

/**
 * What a worker sends to the guard of a run, one message per line. The end of the pipe is the last message: the worker
 * is gone.
 */
export type ToGuard =
  /** The run may live until then, in boot time. */
  | { readonly tell: 'deadline'; readonly bootMs: number }
  /** The process of the run; its descendants are ended with it. */
  | { readonly tell: 'run'; readonly process: KnownProcess }
  /** End the run now. */
  | { readonly tell: 'end' }
  /** The run is over, or no longer ours to end: the guard leaves. */
  | { readonly tell: 'leave' };

/** Why a guard ended its run. */
export type EndCause = 'deadline' | 'worker-gone' | 'told';

/** What a guard reports. */
export type FromGuard =
  | { readonly says: 'ready' }
  /** How many processes it ended; `left` counts those that survived. */
  | { readonly says: 'ended'; readonly cause: EndCause; readonly ended: number; readonly left: number };

/** The variable that every process of a guarded run carries, unless it wipes its environment. */
export const GUARD_NAME = 'HOLDFAST_GUARD';

/** Parses a line of the pipe; undefined if it is not one of ours. */
export function readMessage<Message>(line: string, kind: 'tell' | 'says'): Message | undefined {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    return typeof value?.[kind] === 'string' ? (value as Message) : undefined;
  } catch {
    return undefined; // half a line, from a worker that was killed while writing it
  }
}
