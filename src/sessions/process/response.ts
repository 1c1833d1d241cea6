import type { TurnEndReason, Usage } from '../../agents/index.js';
import type { Denial, Gatherer } from './gatherer.js';
import type { Measured } from './measure.js';

/** The answer to one prompt, and what came of it. */
export interface PromptResponse extends Measured {
  readonly reason: TurnEndReason;
  readonly message: string | null;
  /** Of the agent's process; null while it lives. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What the agent said. Long answers lose their middle here; events carry all of it. */
  readonly stdout: string;
  /** The last of what the agent's program wrote to standard error. */
  readonly stderr: string;
  readonly durationMs: number;
  readonly contextUsage: number;
  readonly usage: Usage | null;
  readonly denials: readonly Denial[];
}

/** Puts together what an exchange came to. */
export function responseOf(
  gatherer: Gatherer,
  facts: Measured &
    Pick<PromptResponse, 'durationMs' | 'contextUsage'> & {
      readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
    },
): PromptResponse {
  const { exit, ...rest } = facts;
  const { text, stderr, usage, denials, end } = gatherer;
  return {
    ...rest,
    reason: end?.reason ?? 'cancelled',
    message: end?.message ?? null,
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    stdout: text,
    stderr,
    usage,
    denials,
  };
}
