import type { ToolKind } from './events.js';

/** `edits`: edits are accepted, the rest as the agent's own rules say. `ask`: a person decides. `bypass`: everything goes. */
export type PermissionMode = 'edits' | 'ask' | 'bypass';

/** What an agent wants to do and needs a yes for. */
export interface PermissionRequest {
  readonly id: string;
  readonly name: string;
  readonly kind: ToolKind;
  /** In one line, for people: the command, the file. */
  readonly title: string;
  readonly input: unknown;
}

/** Who decides about permissions. */
export interface PermissionPolicy {
  readonly mode: PermissionMode;
  /** Asks a person (mode `ask`); without one, what would be asked is denied. */
  readonly ask?: ((request: PermissionRequest, signal: AbortSignal) => Promise<boolean>) | undefined;
}

export interface PermissionDecision {
  readonly isAllowed: boolean;
  /** The rule that decided, for the record. */
  readonly by: string;
}

/**
 * The one decision about permissions, for every driver. An agent asks only for what its own rules do not allow, so in
 * mode `edits` everything but reading and editing is denied: nobody is there to say yes.
 */
export async function decidePermission(
  policy: PermissionPolicy,
  request: PermissionRequest,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  if (policy.mode === 'bypass') return { isAllowed: true, by: 'bypass' };
  if (policy.mode === 'edits') {
    const isAllowed = request.kind === 'read' || request.kind === 'edit';
    return { isAllowed, by: isAllowed ? 'edits are accepted' : 'only edits are accepted' };
  }
  if (policy.ask === undefined) return { isAllowed: false, by: 'there is nobody to ask' };
  return { isAllowed: await policy.ask(request, signal), by: 'a person' };
}
