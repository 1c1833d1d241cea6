import type { KnownProcess } from '../family.js';

/** What a worker tells the guard of a run, a line each. The end of the pipe is the last word: the worker is gone. */
export type ToGuard =
  /** The run may live until then, in boot time. */
  | { readonly tell: 'deadline'; readonly bootMs: number }
  /** The process of the run; whatever descends from it goes with it. */
  | { readonly tell: 'run'; readonly process: KnownProcess }
  /** Ends the run now. */
  | { readonly tell: 'end' }
  /** The run is over, or nobody's any more to end: the guard leaves. */
  | { readonly tell: 'leave' };

/** Why a guard ended its run. */
export type EndCause = 'deadline' | 'worker-gone' | 'told';

/** What a guard says. */
export type FromGuard =
  | { readonly says: 'ready' }
  /** How many processes it ended; `left` are those that would not go. */
  | { readonly says: 'ended'; readonly cause: EndCause; readonly ended: number; readonly left: number };

/** The variable that every process of a guarded run carries, unless it wipes its environment. */
export const GUARD_NAME = 'HOLDFAST_GUARD';

/** A line of the pipe; undefined where it is none of ours. */
export function readMessage<Message>(line: string, kind: 'tell' | 'says'): Message | undefined {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    return typeof value?.[kind] === 'string' ? (value as Message) : undefined;
  } catch {
    return undefined; // half a line, of a worker that was killed while it wrote
  }
}
