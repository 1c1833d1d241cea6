import { AbortedError, isHoldfastError, throwIfAborted } from '../../foundation/index.js';
import type {
  AgentCapabilities,
  AgentConnection,
  AgentDriver,
  DriverTools,
  StartOptions,
} from '../driver.js';
import { AgentNotStartedError } from '../errors.js';
import { onGround } from '../permission.js';
import { aborted, LATE } from '../time-limit.js';
import type { AskPerson } from './answers.js';
import { AcpConnection } from './connection.js';
import { type AcpSession, openSession } from './handshake.js';
import { Incoming } from './incoming.js';
import { type AcpLink, bury, openLink } from './link.js';
import { ACP_PRESETS, type AcpPreset } from './presets.js';
import { untilReplayed } from './replay.js';
import { UsageMeter } from './usage.js';

/** What the driver can be given beyond the preset. */
export interface AcpDriverOptions {
  /** Puts an agent's question to the person; without it, agents are told that we cannot ask. */
  readonly onElicitation?: AskPerson | undefined;
  /** Instead of the preset's. */
  readonly silenceMs?: number | null | undefined;
}

/** Drives any agent that speaks the Agent Client Protocol, version 1. */
export function acpDriver(preset: AcpPreset = ACP_PRESETS.acp, own: AcpDriverOptions = {}): AgentDriver {
  return {
    name: 'acp',
    capabilities: capabilitiesOf(preset, true),
    readReplies: preset.readReplies ?? undefined,
    start: (tools, options) => startAgent(tools, options, preset, own),
  };
}

async function startAgent(
  tools: DriverTools,
  options: StartOptions,
  preset: AcpPreset,
  own: AcpDriverOptions,
): Promise<AgentConnection> {
  throwIfAborted(options.signal, 'The start of the agent');
  const { clock, log } = tools;
  const { resume } = options;
  const meter = new UsageMeter({ isResumed: resume !== undefined, costBefore: resume?.costUsd });
  const askPerson = own.onElicitation;
  const { mcpServers, workingDirectory } = options;
  const permissions = onGround(options.permissions, { fileSystem: tools.fileSystem, workingDirectory });
  const incoming = new Incoming({ clock, log, meter, preset, permissions, mcpServers, askPerson });
  const link = await openLink(tools, programOf(preset, options), incoming);
  try {
    const { program, peer } = link;
    const stderr = () => program.stderrTail;
    const opening = openSession({ clock, peer, preset, options, stderr, hasPerson: askPerson !== undefined });
    const session = await unlessAborted(opening, options.signal);
    incoming.sessionId = session.id;
    if (session.isLoaded && preset.replaysAfterLoad) {
      await untilReplayed(clock, () => incoming.lastUpdateMs, options.signal);
    }
    const silenceMs = own.silenceMs === undefined ? preset.silenceMs : own.silenceMs;
    const capabilities = capabilitiesOf(preset, session.canResume);
    const readReplies = repliesReader(tools, options, preset, session.id);
    return new AcpConnection({
      tools,
      preset,
      silenceMs,
      capabilities,
      link,
      session,
      incoming,
      meter,
      readReplies,
    });
  } catch (error) {
    throw await giveUp(tools, link, options.name ?? preset.name, error);
  }
}

/** A reader for the agent's own transcript of a session, if it has one that we know. */
function repliesReader(tools: DriverTools, options: StartOptions, preset: AcpPreset, conversationId: string) {
  const { readReplies } = preset;
  if (readReplies === null) return null;
  const { environment } = programOf(preset, options);
  return (since: Date) => readReplies(tools, { ...options, environment, conversationId }, since);
}

function programOf(preset: AcpPreset, options: StartOptions) {
  const { command, args, workingDirectory, environment, permissions, model, onOutput, logPath } = options;
  const modelArgs = preset.modelArgument !== null && model !== undefined ? [preset.modelArgument, model] : [];
  return {
    command,
    args: [...args, ...preset.args, ...modelArgs],
    workingDirectory,
    environment: { ...preset.environment, ...preset.modeEnvironment[permissions.mode], ...environment },
    onOutput,
    logPath,
  };
}

function capabilitiesOf(preset: AcpPreset, canResume: boolean): AgentCapabilities {
  return {
    conversation: 'live',
    resume: canResume ? 'exact' : 'none',
    cancel: 'protocol',
    streamsText: true,
    asksPermission: true,
    reportsUsage: preset.reports.usage,
    reportsContextWindow: preset.reports.contextWindow,
    reportsCost: preset.reports.cost,
    takesMcpServers: true,
  };
}

async function unlessAborted(
  opening: Promise<AcpSession>,
  signal: AbortSignal | undefined,
): Promise<AcpSession> {
  if (signal === undefined) return await opening;
  opening.catch(() => {});
  const session = await Promise.race([opening, aborted(signal)]);
  if (session === LATE) throw new AbortedError('The start of the agent', { cause: signal.reason });
  return session;
}

/** Ends what was started. An error that is not ours means that the agent ended. */
async function giveUp({ clock }: DriverTools, link: AcpLink, name: string, error: unknown): Promise<unknown> {
  const isOurs = isHoldfastError(error) && error.code !== 'PROGRAM_INPUT_CLOSED';
  if (isOurs) await link.program.stop({ graceMs: 0, termMs: 0 });
  const reason = `it ${await bury(clock, link.program)}`;
  link.peer.close();
  if (isOurs) return error;
  return new AgentNotStartedError(name, reason, { cause: error, output: link.program.stderrTail });
}
