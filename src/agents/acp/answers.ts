import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { PermissionOption } from './schema.js';

/** A question of the agent to the person, as the protocol's elicitation has it. */
export interface Elicitation {
  readonly message: string;
  /** A JSON schema of flat properties, as the agent sent it. */
  readonly requestedSchema: unknown;
  /** The tool call it belongs to, where the agent says so. */
  readonly toolCallId: string | null;
}

export type ElicitationAnswer =
  | {
      readonly action: 'accept';
      readonly content: Readonly<Record<string, string | number | boolean | string[]>>;
    }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** Asks the person; the signal fires when nobody waits for the answer any more. */
export type AskPerson = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * The option that says yes or no: for this once, where there is one, because a rule that outlives the call is not ours
 * to give. Undefined when the agent offers nothing of the kind.
 */
export function optionFor(
  isAllowed: boolean,
  options: readonly PermissionOption[],
): PermissionOption | undefined {
  const kinds = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  return kinds
    .map((kind) => options.find((option) => option.kind === kind))
    .find((option) => option !== undefined);
}

export function selected(option: PermissionOption): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}
