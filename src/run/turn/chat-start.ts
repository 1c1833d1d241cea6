import { PERMISSION_MODES, type PermissionMode } from '../../agents/index.js';
import { isHoldfastError } from '../../foundation/index.js';
import type { Conversation } from '../../sessions/conversation/index.js';
import type { ProcessSessions } from '../../sessions/process/index.js';

/** How a conversation should be started or resumed, as far as somebody said. */
export interface ChatWishes {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly permissions?: PermissionMode | undefined;
}

/** How the agent is started, and what a person should know about it. */
export interface ChatStart {
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly permissions: PermissionMode;
  readonly notes: readonly string[];
}

/**
 * How a conversation continues: as it was started, except for what is said now. The model belongs to its agent. Permissions
 * `bypass` count only when they are given again.
 */
export function chatStart(
  openProcesses: () => Pick<ProcessSessions, 'get'>,
  wishes: ChatWishes,
  resumed: Conversation | undefined,
): ChatStart {
  const before = resumed === undefined ? undefined : lastLaunch(openProcesses, resumed);
  const agent = wishes.agent ?? before?.agent ?? resumed?.metadata.agent;
  const isBypassDropped = before?.permissions === 'bypass' && wishes.permissions === undefined;
  const permissions = wishes.permissions ?? (isBypassDropped ? 'edits' : before?.permissions) ?? 'edits';
  const model = wishes.model ?? (agent === before?.agent ? (before?.model ?? undefined) : undefined);
  return {
    agent,
    model,
    permissions,
    notes: isBypassDropped
      ? ['--permissions bypass is not reused: this continues with edits. Type it again if you want it.']
      : [],
  };
}

interface KnownLaunch {
  readonly agent: string;
  readonly model: string | null;
  readonly permissions: PermissionMode | undefined;
}

/** As noted in the conversation. For one of release 0.1, only the record of its process has it, while that exists. */
function lastLaunch(
  openProcesses: () => Pick<ProcessSessions, 'get'>,
  { view, metadata }: Conversation,
): KnownLaunch | undefined {
  const { launch, agentHandle } = view;
  if (launch !== null) return { ...launch, permissions: modeNamed(launch.permissions) };
  if (agentHandle?.processId == null) return undefined;
  try {
    const { model, permissions } = openProcesses().get(agentHandle.processId).launch;
    return { agent: metadata.agent, model, permissions: modeNamed(permissions) };
  } catch (error) {
    if (isHoldfastError(error)) return undefined; // it was cleaned up or cannot be read, so the defaults apply
    throw error;
  }
}

function modeNamed(text: string): PermissionMode | undefined {
  return PERMISSION_MODES.find((mode) => mode === text);
}
