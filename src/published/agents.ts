import { fileURLToPath } from 'node:url';
import { acpDriver as acpDriverOf } from '../agents/acp/driver.js';
import { ACP_PRESETS, type AcpPresetName } from '../agents/acp/presets.js';
import type { AgentDriver, DriverTools } from '../agents/driver.js';
import type { Clock, Logger } from '../foundation/index.js';
import { ProgramRegistry } from '../programs/index.js';
import { systemTools } from '../storage/index.js';

export { claudeDriver } from '../agents/claude/index.js';
export { codexDriver } from '../agents/codex/index.js';
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
} from '../agents/driver.js';
export { AgentBusyError, AgentEndedError, AgentNotStartedError } from '../agents/errors.js';
export type { AgentEvent, ToolKind, TurnEnd, TurnEndReason, Usage } from '../agents/events.js';
export { Exchange } from '../agents/exchange.js';
export { type LineOptions, lineDriver } from '../agents/line/index.js';
export type {
  PermissionAnswer,
  PermissionMode,
  PermissionPolicy,
  PermissionRequest,
} from '../agents/permission.js';

/** Drives any agent that speaks the Agent Client Protocol; a preset adapts it to a particular one. */
export function acpDriver(preset: AcpPresetName = 'acp'): AgentDriver {
  return acpDriverOf(ACP_PRESETS[preset]);
}

/** What a driver needs to start programs; the directory `programs` records those that are running. */
export function openDriverTools(
  { programs }: { readonly programs: string },
  options: { readonly log?: Logger; readonly clock?: Clock } = {},
): DriverTools {
  const tools = systemTools('holdfast/agents', options);
  return { ...tools, registry: new ProgramRegistry(tools, programs) };
}

/** Our own agent program, which plays a script: run it with Node as the command of any driver. */
export const scriptedAgent: string = fileURLToPath(new URL('../agents/scripted.cjs', import.meta.url));
