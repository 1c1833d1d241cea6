import { basename, dirname, resolve } from 'node:path';
import { type DriverName, type DriverTools, loadDriver } from '../agents/index.js';
import { processEnvironment } from '../app/config.js';
import {
  type Clock,
  InvalidInputError,
  type Logger,
  systemIds,
  timestamp,
  visibleBlock,
  visibleExcerpt,
} from '../foundation/index.js';
import { ProgramRegistry } from '../programs/index.js';
import {
  type AgentLaunch,
  ContextTracker,
  canExecute,
  FileProcessStore,
  isOver,
  isProcessId,
  ProcessNotReadyError,
  type ProcessSession,
  ProcessSessions,
  ProcessStartError,
  type ProcessState,
  PromptFailedError,
  PromptTimedOutError,
  processId,
  type PromptResponse as Response,
  TerminateFailedError,
  TooManyProcessesError,
} from '../sessions/process/index.js';
import { systemTools } from '../storage/index.js';

export {
  ContextTracker,
  ProcessNotReadyError,
  ProcessStartError,
  PromptFailedError,
  PromptTimedOutError,
  TerminateFailedError,
  TooManyProcessesError,
};

/** `ses_` and a UUID v4; compare with `===`. */
export type SessionId = `ses_${string}`;
export const SessionId = {
  new: (): SessionId => processId(systemIds.uuid()) as SessionId,
  default: (): SessionId => SessionId.new(),
  /** Whether a text is the id of a session. */
  is: (text: string): text is SessionId => isProcessId(text),
};

/** The state of a session, as recorded. */
export type SessionState = ProcessState;
export const SessionState = {
  Creating: 'creating',
  Ready: 'ready',
  Executing: 'executing',
  Paused: 'paused',
  Ended: 'ended',
  Error: 'error',
  Terminated: 'terminated',
  /** Is the session in a terminal state? */
  isTerminal: (state: SessionState): boolean => isOver(state),
  /** Can the session accept prompts? */
  canExecute: (state: SessionState): boolean => canExecute(state),
} as const;

/** The published configuration; `driver` is our addition, for commands whose name does not imply it. */
export interface SessionConfig {
  /** Default: the current directory. It must exist. */
  working_dir?: string;
  /** Default: `claude`. The driver adds the flags that its protocol needs. */
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** The limit for one prompt, such as `1h` or `90s`; default `1h`. */
  timeout?: string;
  /** Whether the session is kept on disk; default true. */
  persist?: boolean;
  /** Where it is kept; default `.holdfast/sessions` in the working directory. */
  state_path?: string | null;
  /** Copies the agent's standard error to ours. */
  verbose?: boolean;
  driver?: DriverName;
}
export const SessionConfig = {
  /** The published defaults. */
  default: (): Required<Omit<SessionConfig, 'driver'>> => ({
    working_dir: '.',
    command: 'claude',
    args: [],
    env: {},
    timeout: '1h',
    persist: true,
    state_path: null,
    verbose: false,
  }),
};

/** The published description of a session. `env` holds names, never values. */
export interface SessionInfo {
  id: SessionId;
  state: SessionState;
  created_at: string;
  last_activity: string;
  prompt_count: number;
  total_execution_ms: number;
  context_usage: number;
  config: Omit<Required<SessionConfig>, 'env'> & { env: string[] };
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

export interface SessionOptions {
  /** Silent if absent. */
  log?: Logger;
  clock?: Clock;
}

/** Creates a caller's object for a session that a manager started. */
let wrap: (session: ProcessSession, settings: Settings, options: SessionOptions) => Session;

/** One agent process under its published name. */
export class Session {
  #id: SessionId = SessionId.new();
  readonly #settings: Settings;
  readonly #options: SessionOptions;
  readonly #createdAt: string;
  #sessions: ProcessSessions | undefined;
  #session: ProcessSession | undefined;
  /** The state while there is no session behind it: before it is started, or if it could not be. */
  #ownState: SessionState = 'creating';

  static {
    wrap = (session, settings, options) => {
      const wrapped = new Session(settings, options);
      wrapped.#id = session.id as SessionId;
      wrapped.#session = session;
      return wrapped;
    };
  }

  /** Throws INVALID_INPUT. Nothing is started and nothing written. */
  constructor(config: SessionConfig = {}, options: SessionOptions = {}) {
    this.#settings = settingsOf(config);
    this.#options = options;
    this.#createdAt = timestamp(systemTools('holdfast/process', options).clock);
  }

  id(): SessionId {
    return this.#id;
  }

  state(): SessionState {
    return this.#found()?.state ?? this.#ownState;
  }

  /** Starts the agent, once. Throws PROCESS_START_FAILED (the state is then `error`), PROCESS_NOT_READY. */
  async start(): Promise<void> {
    if (this.#sessions !== undefined || this.#session !== undefined || isOver(this.#ownState))
      throw new ProcessNotReadyError(this.#id, this.state(), 'start');
    const { sessions, launch } = openSessions(this.#settings, this.#options, 1);
    this.#sessions = sessions;
    try {
      await sessions.create(launch, null, { id: this.#id });
    } catch (error) {
      this.#ownState = 'error';
      throw error;
    }
  }

  /**
   * Sends a prompt and returns the whole answer. Throws PROCESS_NOT_READY (nothing was sent), PROMPT_TIMED_OUT, and
   * PROMPT_FAILED if the agent failed or was killed, or if the session was ended before the answer was complete.
   */
  async executePrompt(prompt: string): Promise<PromptResponse> {
    const session = this.#found();
    if (session === undefined) throw new ProcessNotReadyError(this.#id, this.state());
    const response = await session.execute(prompt);
    if (response.reason !== 'completed') throw new PromptFailedError(this.#id, session.state, response);
    return publishedResponse(response);
  }

  /** How full the agent's context is, in percent. */
  getContextUsage(): number {
    return this.#found()?.contextPercent ?? 0;
  }

  info(): SessionInfo {
    const record = this.#found()?.record;
    return {
      id: this.#id,
      state: this.state(),
      created_at: record?.createdAt ?? this.#createdAt,
      last_activity: record?.lastActivity ?? this.#createdAt,
      prompt_count: record?.promptCount ?? 0,
      total_execution_ms: record?.totalExecutionMs ?? 0,
      context_usage: record?.contextUsage ?? 0,
      config: { ...this.#settings, env: Object.keys(this.#settings.env).sort() },
    };
  }

  /** Ends the session gracefully. */
  async end(): Promise<void> {
    await this.#found()?.end();
    if (!isOver(this.#ownState)) this.#ownState = 'ended';
  }

  /** Ends the session at once. */
  async terminate(): Promise<void> {
    await this.#found()?.terminate();
    if (!isOver(this.#ownState)) this.#ownState = 'terminated';
  }

  #found(): ProcessSession | undefined {
    this.#session ??= this.#sessions?.live(this.#id);
    return this.#session;
  }
}

export interface SessionManagerOptions extends SessionOptions {
  /** How many agents may run at the same time; default 5. */
  maxSessions?: number;
}

/** The sessions of a process under their published name. */
export class SessionManager {
  readonly #sessions: ProcessSessions;
  readonly #settings: Settings;
  readonly #options: SessionOptions;
  readonly #wrapped = new WeakMap<ProcessSession, Session>();

  constructor(config: SessionConfig = {}, options: SessionManagerOptions = {}) {
    this.#settings = settingsOf(config);
    this.#options = options;
    this.#sessions = openSessions(this.#settings, options, options.maxSessions ?? 5).sessions;
  }

  /** The current session, or a new one if there is none or it is over. Throws as `createFreshSession`. */
  async getOrCreateSession(): Promise<Session> {
    return this.#wrap(await this.#sessions.getOrCreate());
  }

  /**
   * Starts a new session, which becomes the current one; the previous one is ended once the new one is up. Throws
   * TOO_MANY_PROCESSES, PROCESS_START_FAILED; then the previous one stays.
   */
  async createFreshSession(): Promise<Session> {
    return this.#wrap(await this.#sessions.fresh());
  }

  endCurrentSession(): Promise<void> {
    return this.#sessions.endCurrent();
  }

  getSession(id: string): Session | undefined {
    return this.#wrapIf(this.#sessions.live(id));
  }

  currentSession(): Session | undefined {
    return this.#wrapIf(this.#sessions.current());
  }

  /** Newest first. */
  listSessions(): SessionInfo[] {
    return this.#sessions.mine().flatMap(({ id }) => this.getSession(id)?.info() ?? []);
  }

  /** Throws TERMINATE_FAILED with all failures. */
  terminateAll(): Promise<void> {
    return this.#sessions.terminateAll();
  }

  /** How many sessions are known, including those that are over. */
  sessionCount(): number {
    return this.#sessions.counts().total;
  }

  activeSessionCount(): number {
    return this.#sessions.counts().active;
  }

  #wrapIf(session: ProcessSession | undefined): Session | undefined {
    return session === undefined ? undefined : this.#wrap(session);
  }

  /** Always returns the same object for the same session. */
  #wrap(session: ProcessSession): Session {
    const known = this.#wrapped.get(session) ?? wrap(session, this.#settings, this.#options);
    this.#wrapped.set(session, known);
    return known;
  }
}

type Settings = Required<SessionConfig>;

function settingsOf(config: SessionConfig): Settings {
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  const known = { ...SessionConfig.default(), ...(Object.fromEntries(given) as SessionConfig) };
  durationMs(known.timeout);
  return {
    ...known,
    working_dir: resolve(known.working_dir),
    driver: known.driver ?? driverOf(known.command),
  };
}

function driverOf(command: string): DriverName {
  const name = basename(command);
  if (name === 'claude' || name === 'codex') return name;
  return name === 'gemini' || name === 'opencode' ? 'acp' : 'line';
}

/** Sets up what starts and keeps sessions; nothing is written until the first one is started. */
function openSessions(
  settings: Settings,
  options: SessionOptions,
  capacity: number,
): { readonly sessions: ProcessSessions; readonly launch: AgentLaunch } {
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
  const launch = launchOf({ ...tools, registry }, settings);
  const sessions = new ProcessSessions({
    ...tools,
    store,
    workbench: { ...tools, registry, environment: processEnvironment(), leaveOut: [dirname(directory)] },
    capacity,
    patience: { promptMs: durationMs(settings.timeout) },
    launch: () => launch,
  });
  return { sessions, launch };
}

function launchOf(tools: DriverTools, settings: Settings): AgentLaunch {
  const { command, args, working_dir: workingDirectory, env, driver } = settings;
  return {
    agent: basename(command),
    launch: {
      driver,
      command,
      args: [...args],
      workingDirectory,
      env: Object.keys(env).sort(),
      permissions: 'edits',
      model: null,
      mcpServers: [],
    },
    async start({ resume, onOutput, signal }) {
      tools.registry.endOrphans();
      const preset = driver === 'acp' ? presetOf(command) : undefined;
      return (await loadDriver({ driver, preset })).start(tools, {
        command,
        args,
        workingDirectory,
        environment: { ...processEnvironment(), ...env },
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

/** The units of a duration in milliseconds, in every published spelling. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(ms|msec|millis)$/, 1],
  [/^(s|sec|second)s?$/, 1_000],
  [/^(m|min|minute)s?$/, 60_000],
  [/^(h|hr|hour)s?$/, 3_600_000],
  [/^(d|day)s?$/, 86_400_000],
  [/^(w|week)s?$/, 604_800_000],
];

/** A duration such as `1h`, `1h 30m` or `90s` in milliseconds. Throws INVALID_INPUT. */
function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+)\s*([a-z]+)\s*/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === text.trimStart();
  const sum = parts.reduce((total, [, count, unit = '']) => {
    const found = UNITS.find(([names]) => names.test(unit));
    return total + Number(count) * (found?.[1] ?? Number.NaN);
  }, 0);
  if (!isWhole || !Number.isSafeInteger(sum))
    throw new InvalidInputError(`timeout: ${visibleExcerpt(text, 40)} is not a duration such as 1h or 90s`);
  return sum;
}

function publishedResponse(response: Response): PromptResponse {
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
