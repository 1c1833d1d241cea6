import { basename, dirname, resolve } from 'node:path';
import { type DriverName, type DriverTools, loadDriver } from '../../agents/index.js';
import {
  type Clock,
  InvalidInputError,
  type Logger,
  visibleBlock,
  visibleExcerpt,
} from '../../foundation/index.js';
import { ProgramRegistry } from '../../programs/index.js';
import { systemTools } from '../../storage/index.js';
import { ContextTracker } from './context-tracker.js';
import { ProcessNotReadyError } from './errors.js';
import { infoOf } from './info.js';
import type { ProcessState } from './lifecycle.js';
import type { PromptResponse as Response } from './response.js';
import type { ProcessSession } from './session.js';
import { type AgentLaunch, ProcessSessions } from './sessions.js';
import { FileProcessStore } from './store.js';

export { ContextTracker };
export type SessionState = ProcessState;

/** The published configuration; `driver` is ours, for commands whose name does not tell it. */
export interface SessionConfig {
  /** Default: the current directory. */
  working_dir?: string;
  /** Default: `claude`. The driver adds the flags that its protocol needs. */
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** For one prompt, such as `1h` or `90s`; default `1h`. */
  timeout?: string;
  /** Whether the session is kept on disk; default true. */
  persist?: boolean;
  /** Where; default `.holdfast/sessions` in the working directory. */
  state_path?: string;
  /** Copies the agent's standard error to ours. */
  verbose?: boolean;
  driver?: DriverName;
}

/** The published shape of what is told about a session. `env` holds names, never values. */
export interface SessionInfo {
  id: string;
  state: SessionState;
  created_at: string;
  last_activity: string;
  prompt_count: number;
  total_execution_ms: number;
  context_usage: number;
  config: Omit<Required<SessionConfig>, 'env' | 'state_path'> & { env: string[]; state_path: string | null };
}

/** The published shape of an answer. */
export interface PromptResponse {
  /** Null while the agent's process lives. */
  exit_code: number | null;
  stdout: string;
  stderr: string;
  duration_ms: number;
  made_changes: boolean;
  tests_passed: boolean | null;
  files_changed: number;
  context_usage: number;
}

type Options = { log?: Logger; clock?: Clock };

/** One agent process under its published name. */
export class Session {
  readonly #sessions: ProcessSessions;
  readonly #settings: Settings;
  #session: ProcessSession | undefined;

  constructor(config: SessionConfig = {}, options: Options = {}) {
    this.#settings = settingsOf(config);
    this.#sessions = sessionsOf(this.#settings, options, 1);
  }

  /** Null before `start`. */
  get id(): string | null {
    return this.#session?.id ?? null;
  }

  state(): SessionState {
    return this.#session?.state ?? 'creating';
  }

  /** Starts the agent. Throws PROCESS_START_FAILED, PROCESS_NOT_READY when it was started before. */
  async start(): Promise<void> {
    if (this.#session !== undefined) throw new ProcessNotReadyError(this.#session.id, this.#session.state);
    this.#session = await this.#sessions.getOrCreate();
  }

  /** Sends a prompt. Throws PROCESS_NOT_READY, PROMPT_TIMED_OUT. */
  async executePrompt(prompt: string): Promise<PromptResponse> {
    if (this.#session === undefined) throw new ProcessNotReadyError('(not started)', 'creating');
    return published(await this.#session.execute(prompt));
  }

  getContextUsage(): number {
    return this.#session?.record.context_usage ?? 0;
  }

  info(): SessionInfo | null {
    return this.#session === undefined ? null : publishedInfo(this.#session, this.#settings);
  }

  async end(): Promise<void> {
    await this.#session?.end();
  }

  async terminate(): Promise<void> {
    await this.#session?.terminate();
  }
}

/** The sessions of a process under their published name. */
export class SessionManager {
  readonly #sessions: ProcessSessions;
  readonly #settings: Settings;

  constructor(config: SessionConfig = {}, options: Options & { maxSessions?: number } = {}) {
    this.#settings = settingsOf(config);
    this.#sessions = sessionsOf(this.#settings, options, options.maxSessions ?? 5);
  }

  getOrCreateSession(): Promise<ProcessSession> {
    return this.#sessions.getOrCreate();
  }

  createFreshSession(): Promise<ProcessSession> {
    return this.#sessions.fresh();
  }

  endCurrentSession(): Promise<void> {
    return this.#sessions.endCurrent();
  }

  getSession(id: string): ProcessSession | undefined {
    return this.#sessions.get(id);
  }

  currentSession(): ProcessSession | undefined {
    return this.#sessions.current();
  }

  listSessions(): SessionInfo[] {
    return this.#sessions.list().flatMap(({ id }) => {
      const session = this.#sessions.get(id);
      return session === undefined ? [] : [publishedInfo(session, this.#settings)];
    });
  }

  terminateAll(): Promise<void> {
    return this.#sessions.terminateAll();
  }

  sessionCount(): number {
    return this.#sessions.counts().total;
  }

  activeSessionCount(): number {
    return this.#sessions.counts().active;
  }
}

type Settings = Required<Omit<SessionConfig, 'state_path'>> & { readonly state_path: string | null };

function settingsOf(config: SessionConfig): Settings {
  const command = config.command ?? 'claude';
  const working_dir = resolve(config.working_dir ?? '.');
  return {
    working_dir,
    command,
    args: config.args ?? [],
    env: config.env ?? {},
    timeout: config.timeout ?? '1h',
    persist: config.persist ?? true,
    state_path: config.state_path ?? null,
    verbose: config.verbose ?? false,
    driver: config.driver ?? driverOf(command),
  };
}

function driverOf(command: string): DriverName {
  const name = basename(command);
  if (name === 'claude' || name === 'codex') return name;
  return name === 'gemini' || name === 'opencode' ? 'acp' : 'line';
}

function sessionsOf(settings: Settings, options: Options, capacity: number): ProcessSessions {
  const directory = resolve(settings.state_path ?? `${settings.working_dir}/.holdfast/sessions`);
  const tools = systemTools('holdfast/process', options);
  const registry = new ProgramRegistry(tools, `${dirname(directory)}/programs`);
  const store = settings.persist
    ? new FileProcessStore(tools, {
        directory,
        trash: `${dirname(directory)}/trash`,
        ...(settings.state_path === null ? { inProject: dirname(directory) } : {}),
      })
    : undefined;
  return new ProcessSessions({
    ...tools,
    store,
    workbench: { ...tools, registry, environment: process.env, leaveOut: [dirname(directory)] },
    capacity,
    patience: { promptMs: durationMs(settings.timeout) },
    launch: () => launchOf({ ...tools, registry }, settings),
  });
}

function launchOf(tools: DriverTools, settings: Settings): AgentLaunch {
  const { command, args, working_dir, env, driver } = settings;
  return {
    agent: basename(command),
    launch: {
      driver,
      command,
      args: [...args],
      working_dir,
      env: Object.keys(env).sort(),
      permissions: 'edits',
      model: null,
      mcp_servers: [],
    },
    async start({ resume, onOutput, signal }) {
      tools.registry.endOrphans();
      const preset = driver === 'acp' ? presetOf(command) : undefined;
      return (await loadDriver({ driver, preset })).start(tools, {
        command,
        args,
        workingDirectory: working_dir,
        environment: { ...process.env, ...env },
        permissions: { mode: 'edits' },
        mcpServers: [],
        resume,
        signal,
        onOutput(stream, chunk) {
          onOutput(stream, chunk);
          if (settings.verbose && stream === 'stderr')
            process.stderr.write(visibleBlock(chunk.toString('utf8')));
        },
      });
    },
  };
}

function presetOf(command: string): 'gemini' | 'opencode' | undefined {
  const name = basename(command);
  return name === 'gemini' || name === 'opencode' ? name : undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a duration such as `1h`, `1h 30m`, `90s`. Throws INVALID_INPUT. */
function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+)\s*(ms|min|s|m|h|d)/g)];
  if (parts.length === 0 || text.replace(/(\d+)\s*(ms|min|s|m|h|d)/g, '').trim() !== '')
    throw new InvalidInputError(`timeout: ${visibleExcerpt(text, 40)} is not a duration such as 1h or 90s`);
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
}

function published(response: Response): PromptResponse {
  return {
    exit_code: response.exitCode,
    stdout: response.stdout,
    stderr: response.stderr,
    duration_ms: response.durationMs,
    made_changes: response.madeChanges,
    tests_passed: response.testsPassed,
    files_changed: response.filesChanged,
    context_usage: response.contextUsage,
  };
}

function publishedInfo(session: ProcessSession, settings: Settings): SessionInfo {
  const info = infoOf(session.record, true);
  return {
    id: info.id,
    state: info.state,
    created_at: info.createdAt,
    last_activity: info.lastActivity,
    prompt_count: info.promptCount,
    total_execution_ms: info.totalExecutionMs,
    context_usage: info.contextUsage,
    config: { ...settings, env: Object.keys(settings.env).sort() },
  };
}
