import { messageOf } from '../foundation/index.js';
import type { ToolKind } from './events.js';
import { type Ground, refusalOf } from './places.js';

/**
 * `edits`: edits of the project are accepted, a person decides the rest. `ask`: a person decides. `bypass`: everything is
 * allowed.
 */
export const PERMISSION_MODES = ['edits', 'ask', 'bypass'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** The contents a file would get, if an agent shows them beside the input of its tool. */
export interface FileChange {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
}

/** Something an agent wants to do and needs permission for. */
export interface PermissionRequest {
  readonly id: string;
  readonly name: string;
  readonly kind: ToolKind;
  /** One line, for people: the command, the file. */
  readonly title: string;
  readonly input: unknown;
  /** Every file or directory the request names, as the agent writes it; none = it does not say. */
  readonly locations?: readonly string[] | undefined;
  readonly changes?: readonly FileChange[] | undefined;
}

/** What a person decided. */
export interface PermissionAnswer {
  readonly isAllowed: boolean;
  /** What the agent should hear with a denial, in the person's own words. */
  readonly message?: string | undefined;
}

/** How permissions are decided. */
export interface PermissionPolicy {
  readonly mode: PermissionMode;
  /** Asks a person; without it, what would be asked is denied. */
  readonly ask?:
    | ((request: PermissionRequest, signal: AbortSignal) => Promise<boolean | PermissionAnswer>)
    | undefined;
  /** Whether whoever started the agent told it to do exactly this. */
  readonly isTold?: ((request: PermissionRequest) => boolean) | undefined;
  /** Where edits are accepted (mode `edits`); without it, none are. If absent, drivers use the working directory. */
  readonly ground?: Ground | undefined;
}

export interface PermissionDecision {
  readonly isAllowed: boolean;
  /** The rule that decided, for the record. */
  readonly by: string;
  /** What a person wants the agent to hear with a denial. */
  readonly message?: string | undefined;
}

/** What a driver knows about a request beyond its words. */
export interface RequestFacts {
  /** The tool belongs to an MCP server that we gave to the agent; how to tell depends on the protocol. */
  readonly isOfGivenServer: boolean;
  /** It comes from a conversation other than ours with the agent: a sub-agent's, or an invented one. */
  readonly isOfOtherSession?: boolean | undefined;
  /** Fires when the decision is no longer needed. */
  readonly signal: AbortSignal;
}

/** The rule for using a server that was given to the agent. */
export const OF_GIVEN_SERVER = 'it belongs to a server that was given to the agent';

/** Recorded as the decider if it was no rule. */
export const BY_A_PERSON = 'a person';

/** The rule for edits of the project in mode `edits`. */
export const EDITS_ARE_ACCEPTED = 'edits are accepted';

/**
 * The one decision about permissions, for every driver. Whoever gave the agent a server wants it to be used, and whoever
 * told it to do something wants that to be done; asking for permission to ask would go in circles. In mode `edits`, edits
 * of the project are allowed. A person decides everything else, and if there is nobody to ask it is denied. Never throws:
 * what cannot be asked is denied.
 */
export async function decidePermission(
  policy: PermissionPolicy,
  request: PermissionRequest,
  { isOfGivenServer, isOfOtherSession = false, signal }: RequestFacts,
): Promise<PermissionDecision> {
  if (!isOfOtherSession) {
    if (isOfGivenServer) return { isAllowed: true, by: OF_GIVEN_SERVER };
    if (policy.isTold?.(request)) return { isAllowed: true, by: 'the agent was told to do it' };
  }
  if (policy.mode === 'bypass') return { isAllowed: true, by: 'bypass' };
  const refusal = isOfOtherSession ? 'it comes from another session' : refusalIn(policy, request);
  if (refusal === undefined) return { isAllowed: true, by: EDITS_ARE_ACCEPTED };
  if (policy.ask === undefined) return { isAllowed: false, by: refusal };
  try {
    const answer = await policy.ask(request, signal);
    const { isAllowed, message } = typeof answer === 'boolean' ? { isAllowed: answer } : answer;
    return { isAllowed, by: BY_A_PERSON, ...(message === undefined ? {} : { message }) };
  } catch (error) {
    return { isAllowed: false, by: `the person could not be asked: ${messageOf(error)}` };
  }
}

/** Why the mode alone does not allow a request. */
function refusalIn({ mode, ground }: PermissionPolicy, request: PermissionRequest): string | undefined {
  return mode === 'edits' ? refusalOf(ground, request) : 'there is nobody to ask';
}

/** What to tell an agent about a denial, in one text. */
export function denialText({ by, message }: PermissionDecision): string {
  return message === undefined ? `Not permitted: ${by}` : `Not permitted. The person says: ${message}`;
}

/** The policy, accepting edits in the working directory unless it names another ground. */
export function onGround(policy: PermissionPolicy, ground: Ground): PermissionPolicy {
  return policy.ground === undefined ? { ...policy, ground } : policy;
}
