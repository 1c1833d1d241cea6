import { messageOf } from '../foundation/index.js';
import type { ToolKind } from './events.js';
import { type Ground, refusalOf } from './places.js';

/** `edits`: edits of the project are accepted, a person decides about the rest. `ask`: a person decides. `bypass`: everything goes. */
export const PERMISSION_MODES = ['edits', 'ask', 'bypass'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** What a file would become, where an agent shows that beside the input of its tool. */
export interface FileChange {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
}

/** What an agent wants to do and needs a yes for. */
export interface PermissionRequest {
  readonly id: string;
  readonly name: string;
  readonly kind: ToolKind;
  /** In one line, for people: the command, the file. */
  readonly title: string;
  readonly input: unknown;
  /** Every file or directory that it is about, as the agent names them; none = it does not say. */
  readonly locations?: readonly string[] | undefined;
  readonly changes?: readonly FileChange[] | undefined;
}

/** What a person decided. */
export interface PermissionAnswer {
  readonly isAllowed: boolean;
  /** What the agent is to be told with a denial, in the person's own words. */
  readonly message?: string | undefined;
}

/** Who decides about permissions. */
export interface PermissionPolicy {
  readonly mode: PermissionMode;
  /** Asks a person; without one, what would be asked is denied. */
  readonly ask?:
    | ((request: PermissionRequest, signal: AbortSignal) => Promise<boolean | PermissionAnswer>)
    | undefined;
  /** Whether the agent was told to do just this by whoever started it. */
  readonly isTold?: ((request: PermissionRequest) => boolean) | undefined;
  /** Where edits are accepted (mode `edits`); without it, none is. Drivers take the working directory if absent. */
  readonly ground?: Ground | undefined;
}

export interface PermissionDecision {
  readonly isAllowed: boolean;
  /** The rule that decided, for the record. */
  readonly by: string;
  /** What a person wants the agent to hear about a denial. */
  readonly message?: string | undefined;
}

/** What a driver knows about a request besides its words. */
export interface RequestFacts {
  /** The tool is one of an MCP server that we gave to the agent; how to tell depends on the protocol. */
  readonly isOfGivenServer: boolean;
  /** It comes from another conversation than the one we have with the agent: of a sub-agent, or made up. */
  readonly isOfOtherSession?: boolean | undefined;
  /** Fires when nobody waits for the decision any more. */
  readonly signal: AbortSignal;
}

/** The rule for what an agent asks leave for although it was given to it. */
export const OF_GIVEN_SERVER = 'it belongs to a server that was given to the agent';

/** Who decided where it was no rule. */
export const BY_A_PERSON = 'a person';

/** The rule for edits of the project in mode `edits`. */
export const EDITS_ARE_ACCEPTED = 'edits are accepted';

/**
 * The one decision about permissions, for every driver. Whoever gave the agent a server wants it to be used, and whoever
 * told it to do something wants it to be done; asking leave to ask would go in circles. In mode `edits` what is an edit of
 * the project is allowed; about everything else a person decides, and where nobody is there it is denied.
 * Never throws: what cannot be asked is denied.
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
    return { isAllowed: false, by: `it could not be asked: ${messageOf(error)}` };
  }
}

/** Why a request is not allowed by the mode alone. */
function refusalIn({ mode, ground }: PermissionPolicy, request: PermissionRequest): string | undefined {
  return mode === 'edits' ? refusalOf(ground, request) : 'there is nobody to ask';
}

/** What an agent is told about a denial, in one text. */
export function denialText({ by, message }: PermissionDecision): string {
  return message === undefined ? `Not permitted: ${by}` : `Not permitted. The person says: ${message}`;
}

/** The policy with the working directory as the place where edits are accepted, unless it names another. */
export function onGround(policy: PermissionPolicy, ground: Ground): PermissionPolicy {
  return policy.ground === undefined ? { ...policy, ground } : policy;
}
