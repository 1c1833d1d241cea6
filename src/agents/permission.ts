import { messageOf } from '../foundation/index.js';
import type { ToolKind } from './events.js';

/** `edits`: edits are accepted, the rest as the agent's own rules say. `ask`: a person decides. `bypass`: everything goes. */
export const PERMISSION_MODES = ['edits', 'ask', 'bypass'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

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
  /** Whether the agent was told to do just this by whoever started it. */
  readonly isTold?: ((request: PermissionRequest) => boolean) | undefined;
}

export interface PermissionDecision {
  readonly isAllowed: boolean;
  /** The rule that decided, for the record. */
  readonly by: string;
}

/** What a driver knows about a request besides its words. */
export interface RequestFacts {
  /** The tool is one of an MCP server that we gave to the agent; how to tell depends on the protocol. */
  readonly isOfGivenServer: boolean;
  /** Fires when nobody waits for the decision any more. */
  readonly signal: AbortSignal;
}

/** The rule for what an agent asks leave for although it was given to it. */
export const OF_GIVEN_SERVER = 'it belongs to a server that was given to the agent';

/**
 * The one decision about permissions, for every driver. Whoever gave the agent a server wants it to be used, and whoever
 * told it to do something wants it to be done; asking leave to ask would go in circles. An agent asks only for what its
 * own rules do not allow, so in mode `edits` everything but reading and editing is denied: nobody is there to say yes.
 * Never throws: what cannot be asked is denied.
 */
export async function decidePermission(
  policy: PermissionPolicy,
  request: PermissionRequest,
  { isOfGivenServer, signal }: RequestFacts,
): Promise<PermissionDecision> {
  if (isOfGivenServer) return { isAllowed: true, by: OF_GIVEN_SERVER };
  if (policy.isTold?.(request)) return { isAllowed: true, by: 'the agent was told to do it' };
  if (policy.mode === 'bypass') return { isAllowed: true, by: 'bypass' };
  if (policy.mode === 'edits') {
    const isAllowed = request.kind === 'read' || request.kind === 'edit';
    return { isAllowed, by: isAllowed ? 'edits are accepted' : 'only edits are accepted' };
  }
  if (policy.ask === undefined) return { isAllowed: false, by: 'there is nobody to ask' };
  try {
    return { isAllowed: await policy.ask(request, signal), by: 'a person' };
  } catch (error) {
    return { isAllowed: false, by: `it could not be asked: ${messageOf(error)}` };
  }
}
