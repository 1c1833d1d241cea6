import { fileURLToPath } from 'node:url';
import type { Clock, Logger } from '../foundation/index.js';
import { ProgramRegistry } from '../programs/index.js';
import { systemTools } from '../storage/index.js';
import { acpDriver as acpDriverOf } from './acp/driver.js';
import { ACP_PRESETS, type AcpPresetName } from './acp/presets.js';
import type { AgentDriver, DriverTools } from './driver.js';

export { claudeDriver } from './claude/index.js';
export { codexDriver } from './codex/index.js';
export type {
  AgentCapabilities,
  AgentConnection,
  AgentDriver,
  DriverTools,
  KeptReply,
  McpServerSpec,
  ReadReplies,
  ResumeHandle,
  StartOptions,
  TranscriptPlace,
} from './driver.js';
export { AgentBusyError, AgentEndedError, AgentNotStartedError } from './errors.js';
export type { AgentEvent, ToolKind, TurnEnd, TurnEndReason, Usage } from './events.js';
export { Exchange } from './exchange.js';
export { type LineOptions, lineDriver } from './line/index.js';
export type {
  PermissionAnswer,
  PermissionMode,
  PermissionPolicy,
  PermissionRequest,
} from './permission.js';

/** Drives any agent that speaks the Agent Client Protocol; a preset knows the ways of one of them. */
export function acpDriver(preset: AcpPresetName = 'acp'): AgentDriver {
  return acpDriverOf(ACP_PRESETS[preset]);
}

/** What a driver needs to start programs; `programs` is a directory in which those that run are written down. */
export function openDriverTools(
  { programs }: { readonly programs: string },
  options: { readonly log?: Logger; readonly clock?: Clock } = {},
): DriverTools {
  const tools = systemTools('holdfast/agents', options);
  return { ...tools, registry: new ProgramRegistry(tools, programs) };
}

/** Our own agent program, which plays a script: run it with Node as the command of any driver. */
export const scriptedAgent: string = fileURLToPath(new URL('../agents/scripted.mjs', import.meta.url));
