import { findProcess, isStillRunning, type ProcessEntry, runningChildren } from '../programs/index.js';
import type { FileSystem } from '../storage/index.js';
import type { PermissionAsked } from './events.js';
import { TranscriptTail } from './transcript-tail.js';

/** Why the agent no longer waits for our answer, in words; undefined while it may still wait. */
export interface AgentSigns {
  read(): string | undefined;
}

const AGENT_IS_GONE = 'the agent that asked is gone';
export const ANSWERED_THERE = 'it was answered at the terminal';

/**
 * Follows the agent that started this hook. Nothing reports a yes in the agent's own dialog, so this looks for signs:
 * whether the agent is alive, whether its transcript has the result of the tool, whether the command is already running.
 */
export function followAgent(
  fileSystem: FileSystem,
  asked: Pick<PermissionAsked, 'agent' | 'tool' | 'transcript'>,
  agentPid: number | undefined,
): AgentSigns {
  const ancestors = ancestorsOf(fileSystem, agentPid);
  const tail = asked.transcript === undefined ? undefined : new TranscriptTail(fileSystem, asked.transcript);
  const { command } = asked.tool.input;
  const agent = agentPid ?? ancestors.at(-1)?.pid;
  const before = new Set(runningChildren(fileSystem, agent).map(({ pid }) => pid));
  const isRunning = () =>
    typeof command === 'string' &&
    runningChildren(fileSystem, agent).some(({ pid, words }) => !before.has(pid) && holds(words, command));
  return {
    read() {
      if (ancestors.some((entry) => !isStillRunning(fileSystem, entry))) return AGENT_IS_GONE;
      if (tail?.hasResultOf(asked.tool) === true || isRunning()) return ANSWERED_THERE;
      return undefined;
    },
  };
}

/** Names of the shells that an agent may start a hook through. */
const SHELLS: readonly string[] = ['sh', 'dash', 'bash', 'zsh', 'ksh', 'ash', 'fish', 'busybox'];

/** The process of the agent that started this hook, directly or through a shell; undefined if that cannot be seen. */
export function agentAbove(fileSystem: FileSystem): number | undefined {
  const parent = findProcess(fileSystem, process.ppid);
  const isShell = parent !== undefined && SHELLS.includes(parent.name);
  const agent = isShell ? findProcess(fileSystem, parent.parentPid) : parent;
  return agent !== undefined && agent.pid > 1 ? agent.pid : undefined;
}

/** Our parent and its parent: a shell and the agent, or the agent and whatever started it. If one is gone, so is the dialog. */
function ancestorsOf(fileSystem: FileSystem, agentPid: number | undefined): ProcessEntry[] {
  const parent = findProcess(fileSystem, process.ppid);
  const grandparent = parent === undefined ? undefined : findProcess(fileSystem, parent.parentPid);
  const agent = agentPid === undefined ? undefined : findProcess(fileSystem, agentPid);
  return [parent, agent ?? grandparent].filter(
    (entry) => entry !== undefined && entry.pid > 1,
  ) as ProcessEntry[];
}

/** Whether a command line runs a command, however a shell quotes it. */
function holds(words: string, command: string): boolean {
  const bare = (text: string) => text.replaceAll(/['"\\\s]/g, '');
  return bare(command) !== '' && bare(words).includes(bare(command));
}
