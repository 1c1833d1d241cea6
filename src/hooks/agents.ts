import { join } from 'node:path';
import {
  count,
  type Logger,
  messageOf,
  oneOf,
  optional,
  record,
  text,
  time,
  timestamp,
  type ValueOf,
  whole,
} from '../foundation/index.js';
import { findProcess } from '../programs/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  formatDocument,
  judgeLife,
  type LockTools,
  listDirectory,
  ProcessRecord,
  parseDocument,
  readFile,
  removeQuietly,
  replaceQuick,
  resolveUserPath,
} from '../storage/index.js';
import { HOOK_AGENTS, type HookFacts, WAITS_FOR, type WaitsFor } from './events.js';
import { interruptedAt } from './interruption.js';

/**
 * `<state>/agents/<agent>-<session>.json`: an agent that a person started and whose hooks report to us. The agent itself
 * knows all of this, so the file need not survive power loss.
 */
const AgentRecord = record({
  version: whole(),
  agent: oneOf(HOOK_AGENTS),
  session: text,
  workingDirectory: text,
  state: oneOf(['working', 'waiting']),
  /** What it is waiting for: the kind, and in words. */
  waitsFor: optional(oneOf(WAITS_FOR)),
  words: optional(text),
  since: time,
  transcript: optional(text),
  /** The length of the transcript when the wait began: if it has grown since, the agent has continued. */
  transcriptBytes: optional(count),
  /** The agent's own process, if the hook knows it. */
  process: optional(ProcessRecord),
});
export type AgentRecord = ValueOf<typeof AgentRecord>;

/** What an agent is waiting for from a person, as notices describe it. */
export interface Waiting {
  readonly waitsFor: WaitsFor;
  readonly words: string;
}

/** The ids of both agents are UUIDs; nothing else becomes part of a file name. */
const SESSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The agents that people started, as far as their hooks report: one small file each. */
export class HookedAgents {
  readonly #tools: LockTools;
  readonly #directory: string;
  readonly #log: Logger;

  constructor(tools: LockTools, directory: string) {
    this.#tools = tools;
    this.#directory = directory;
    this.#log = tools.log;
  }

  /** Records how an agent stands. Never throws: the records are only for display. */
  note(facts: HookFacts, waiting: Waiting | undefined, agentPid?: number): void {
    const path = this.#path(facts);
    if (path === undefined) return;
    this.#quietly(path, () => {
      ensureDirectory(this.#tools.fileSystem, this.#directory);
      const { agent, session, workingDirectory, transcript } = facts;
      const agentRecord: AgentRecord = {
        version: DOCUMENT_VERSION,
        agent,
        session,
        workingDirectory,
        state: waiting === undefined ? 'working' : 'waiting',
        ...waiting,
        since: timestamp(this.#tools.clock),
        ...(transcript === undefined ? {} : { transcript, ...this.#sizeOf(transcript) }),
        ...this.#processOf(agentPid),
      };
      replaceQuick(this.#tools, path, formatDocument(path, agentRecord, AgentRecord));
    });
  }

  /** Forgets an agent that has ended. Never throws. */
  forget(facts: Pick<HookFacts, 'agent' | 'session'>): void {
    const path = this.#path(facts);
    if (path !== undefined) removeQuietly(this.#tools.fileSystem, path);
  }

  /** All agents that are alive, as far as we know; those proven dead are forgotten. Unreadable records are left out. */
  list(): AgentRecord[] {
    const { fileSystem, identity } = this.#tools;
    return listDirectory(fileSystem, this.#directory).flatMap((name) => {
      if (!name.endsWith('.json') || name.startsWith('.')) return [];
      const path = join(this.#directory, name);
      const known = this.#read(path);
      if (known === undefined) return [];
      if (known.process !== undefined && judgeLife(fileSystem, known.process, identity).life === 'dead') {
        removeQuietly(fileSystem, path);
        return [];
      }
      return [this.#asItStands(known)];
    });
  }

  /** What an agent has written since its last report shows whether it still waits, or was interrupted. */
  #asItStands(known: AgentRecord): AgentRecord {
    const { waitsFor, transcript, transcriptBytes } = known;
    if (waitsFor === 'prompt' || transcript === undefined) return known;
    const { transcriptBytes: now } = this.#sizeOf(transcript);
    if (now === undefined || transcriptBytes === undefined || now <= transcriptBytes) return known;
    const since = this.#interruptedAt(known);
    if (since !== undefined)
      return { ...known, state: 'waiting', waitsFor: 'prompt', words: 'was interrupted', since };
    const { waitsFor: _for, words: _words, ...rest } = known;
    return { ...rest, state: 'working' };
  }

  #interruptedAt({ agent, transcript = '', transcriptBytes = 0 }: AgentRecord): string | undefined {
    let since: string | undefined;
    if (agent === 'claude')
      this.#quietly(transcript, () => {
        const real = resolveUserPath(this.#tools.fileSystem, transcript);
        const at = real && interruptedAt(this.#tools.fileSystem, real, transcriptBytes);
        if (at !== undefined && Number.isFinite(Date.parse(at))) since = at;
      });
    return since;
  }

  #read(path: string): AgentRecord | undefined {
    let known: AgentRecord | undefined;
    this.#quietly(path, () => {
      const content = readFile(this.#tools.fileSystem, path);
      if (content !== undefined) known = parseDocument(path, content, AgentRecord);
    });
    return known;
  }

  #sizeOf(transcript: string): { transcriptBytes?: number } {
    let facts: { transcriptBytes?: number } = {};
    this.#quietly(transcript, () => {
      const real = resolveUserPath(this.#tools.fileSystem, transcript);
      // A transcript that does not exist yet begins with this turn.
      const size = real === undefined ? 0 : this.#tools.fileSystem.look(real)?.size;
      if (size !== undefined) facts = { transcriptBytes: size };
    });
    return facts;
  }

  #processOf(pid: number | undefined): { process?: AgentRecord['process'] } {
    if (pid === undefined) return {};
    const { bootId, pidNamespace, timeNamespace, host } = this.#tools.identity;
    const startTime = findProcess(this.#tools.fileSystem, pid)?.startTime;
    if (startTime === undefined) return {};
    return { process: { pid, startTime, bootId, pidNamespace, timeNamespace, host } };
  }

  #path({ agent, session }: Pick<HookFacts, 'agent' | 'session'>): string | undefined {
    return SESSION.test(session)
      ? join(this.#directory, `${agent}-${session.toLowerCase()}.json`)
      : undefined;
  }

  #quietly(path: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#log.debug('hook.agent-not-noted', { path, error: messageOf(error) });
    }
  }
}
