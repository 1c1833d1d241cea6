import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { PermissionOption } from './schema.js';

/** A question from the agent to the person: an elicitation of the protocol. */
export interface Elicitation {
  readonly message: string;
  /** A JSON schema of flat properties, as the agent sent it. */
  readonly requestedSchema: unknown;
  /** The tool call it belongs to, if the agent names one. */
  readonly toolCallId: string | null;
}

export type ElicitationAnswer =
  | {
      readonly action: 'accept';
      readonly content: Readonly<Record<string, string | number | boolean | string[]>>;
    }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** Asks the person; the signal fires when the answer is no longer wanted. */
export type AskPerson = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * The option that says yes or no, for this once if the agent offers that: a rule that outlives the call is not ours to
 * give. Undefined if the agent offers no such option.
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
