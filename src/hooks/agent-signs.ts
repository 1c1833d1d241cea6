import {
  commandLineOf,
  findProcess,
  isStillRunning,
  type ProcessEntry,
  runningChildren,
} from '../programs/index.js';
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

/** What an agent may start a hook through: a shell, perhaps a script of somebody's, or what looks our command up. */
const SHELL = /^-?(?:\S*\/)?(?:sh|dash|bash|zsh|ksh|ash|fish|busybox)(?: |$)/;
const LAUNCHER = / hook /;
const MOST_BETWEEN = 4;

/** The process of the agent that started this hook; undefined if that cannot be seen. */
export function agentAbove(fileSystem: FileSystem): number | undefined {
  let { ppid: pid } = process;
  for (let left = MOST_BETWEEN; left > 0 && pid > 1; left -= 1) {
    const words = commandLineOf(fileSystem, pid);
    if (words === '') return undefined;
    if (!SHELL.test(words) && !LAUNCHER.test(words)) return pid;
    pid = findProcess(fileSystem, pid)?.parentPid ?? 0;
  }
  return undefined;
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
