import {
  type Actor,
  type Clock,
  DAY_MS,
  type Ids,
  type Logger,
  silentLogger,
  systemClock,
  systemIds,
} from '../foundation/index.js';
import { ProgramRegistry } from '../programs/index.js';
import { FileQuestionStore, QuestionSessions } from '../sessions/question/index.js';
import {
  DirectoryWatcher,
  type FileSystem,
  type LockTools,
  nodeFileSystem,
  ownIdentity,
} from '../storage/index.js';
import { type Config, type Environment, loadConfig } from './config.js';
import { runLeases } from './fleet/run-leases.js';

export interface ServiceOptions {
  readonly environment: Environment;
  readonly workingDirectory: string;
  /** The command that owner records show, such as `holdfast answer`. */
  readonly command: string;
  /** Who decides and steers through these services; `library` if absent. */
  readonly actor?: Actor | undefined;
  /** How agents start this very program, to reach `holdfast mcp`; by name from PATH if absent. */
  readonly self?: SelfCommand | undefined;
  readonly log?: Logger | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: Ids | undefined;
  readonly fileSystem?: FileSystem | undefined;
  /** Does not read `config.json`, for a command that repairs it. */
  readonly ignoresConfigFile?: boolean | undefined;
}

/** How this program is started. */
export interface SelfCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Everything a command may need, built once per process. */
export interface Services {
  /** Who decides and steers, as records name them. */
  readonly actor: Actor;
  readonly config: Config;
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tools: LockTools;
  readonly self: SelfCommand;
  readonly programs: ProgramRegistry;
  readonly questions: QuestionSessions;
  readonly questionStore: FileQuestionStore;
}

/** Builds the product from its parts. Throws CONFIG_INVALID. */
export function createServices(options: ServiceOptions): Services {
  const fileSystem = options.fileSystem ?? nodeFileSystem;
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? systemIds;
  const log = options.log ?? silentLogger;
  const actor = options.actor ?? 'library';
  const config = loadConfig({ ...options, fileSystem, ignoresFile: options.ignoresConfigFile });
  const tools: LockTools = {
    fileSystem,
    ids,
    clock,
    log,
    watcher: new DirectoryWatcher({ fileSystem, ids, log }),
    identity: ownIdentity(fileSystem),
    command: options.command,
  };
  const questionStore = new FileQuestionStore(tools, {
    directory: config.layout.questions,
    trash: config.layout.questionTrash,
    apart: { directory: config.layout.permissions, trash: config.layout.permissionTrash },
  });
  const questions = new QuestionSessions({
    ...tools,
    actor,
    store: questionStore,
    limits: {
      maxQuestions: config.get('question.maxQuestions'),
      maxOptions: config.get('question.maxOptions'),
    },
    maxSessions: config.get('question.maxSessions'),
    retentionMs: config.get('question.retentionDays') * DAY_MS,
    timeoutMs: config.get('question.timeoutSeconds') * 1_000,
    leases: runLeases(tools, config.layout.fleet),
  });
  const programs = new ProgramRegistry(tools, config.layout.programs);
  const self = options.self ?? { command: 'holdfast', args: [] };
  const { environment, workingDirectory } = options;
  return {
    actor,
    config,
    environment,
    workingDirectory,
    clock,
    log,
    tools,
    self,
    programs,
    questions,
    questionStore,
  };
}

/** The same services for another directory. What belongs to the user is shared: stores, watcher, programs. */
export function servicesAt(services: Services, workingDirectory: string): Services {
  return workingDirectory === services.workingDirectory
    ? services
    : { ...services, workingDirectory, config: services.config.at(workingDirectory) };
}

const built = new WeakMap<object, Map<string, unknown>>();

/**
 * A part that is built once, when first asked for. It belongs to the services of one directory or, with `tools` as its
 * owner, to the user.
 */
export function builtOnce<Part>(owner: Services | LockTools, name: string, build: () => Part): Part {
  const parts = built.get(owner) ?? new Map<string, unknown>();
  built.set(owner, parts);
  if (!parts.has(name)) parts.set(name, build());
  return parts.get(name) as Part;
}
