import type { TurnEndReason, Usage } from '../../agents/index.js';
import type { Denial, Gatherer } from './gatherer.js';
import type { Measured } from './measure.js';

/** The answer to one prompt, and what came of it. */
export interface PromptResponse extends Measured {
  readonly reason: TurnEndReason;
  readonly message: string | null;
  /** The exit code of the agent's process; null while it is alive. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What the agent said. Long answers lose their middle here; the events carry all of it. */
  readonly stdout: string;
  /** The end of what the agent's program wrote to standard error. */
  readonly stderr: string;
  readonly durationMs: number;
  readonly contextUsage: number;
  readonly usage: Usage | null;
  readonly denials: readonly Denial[];
}

/** Puts together the response to an exchange. */
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
