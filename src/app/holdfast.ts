import { resolve } from 'node:path';
import {
  type Catalog,
  type CatalogFilter,
  type EverySession,
  listProjects,
  type RememberedProject,
} from '../catalog/index.js';
import { throwIfAborted } from '../foundation/index.js';
import type { ChangeSessions } from '../sessions/change/index.js';
import type { ConversationSessions } from '../sessions/conversation/index.js';
import type { LoopSessions } from '../sessions/loop/index.js';
import type { ProcessSessions } from '../sessions/process/index.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import type { Config } from './config.js';
import { type LibraryOptions, libraryServices } from './library-services.js';
import { openRunIn, type Run, type RunOptions } from './run/open-run.js';
import { type Services, servicesAt } from './services.js';
import { listEverywhere, openCatalog } from './sessions/open-catalog.js';
import { openChanges } from './sessions/open-changes.js';
import { openConversations } from './sessions/open-conversations.js';
import { openLoops } from './sessions/open-loops.js';
import { openProcesses } from './sessions/open-processes.js';
import { projectTools } from './sessions/remembering.js';

/** The parts that belong to one directory. Each is built once, when first asked for. */
export interface ProjectParts {
  readonly directory: string;
  readonly services: Services;
  readonly loops: LoopSessions;
  readonly changes: ChangeSessions;
  /** The conversations of this user; those started through here use the settings of this project. */
  readonly conversations: ConversationSessions;
  readonly processes: ProcessSessions;
  /** The sessions of every kind that can be seen from here. */
  readonly catalog: Catalog;
  /** Finds everything that a run needs. Disposing of `Holdfast` stops the run so that it can be resumed. */
  run(options: RunOptions): Run;
}

/**
 * Everything for one user, composed once, for a long-lived process that serves many projects and sessions. A program that needs
 * one thing for a moment opens just that (`openLoops` and the like), which loads less.
 */
export class Holdfast implements AsyncDisposable {
  readonly #services: Services;
  readonly #projects = new Map<string, ProjectParts>();
  readonly #processes = new Map<Services, ProcessSessions>();
  readonly #stopping = new AbortController();
  readonly #working = new Set<Promise<unknown>>();

  constructor(services: Services) {
    this.#services = services;
  }

  get config(): Config {
    return this.#services.config;
  }

  get questions(): QuestionSessions {
    return this.#services.questions;
  }

  /** Fires on disposal; for waits that do not go through `during`. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The parts for one directory; by default the one this was opened in. Throws ABORTED after disposal. */
  project(directory = this.#services.workingDirectory): ProjectParts {
    throwIfAborted(this.signal, 'The work of Holdfast');
    const path = resolve(this.#services.workingDirectory, directory);
    const known = this.#projects.get(path);
    if (known !== undefined) return known;
    const parts = this.#partsOf(servicesAt(this.#services, path));
    this.#projects.set(path, parts);
    return parts;
  }

  /** Every directory where this user started something. */
  projects(): RememberedProject[] {
    return listProjects(projectTools(this.#services));
  }

  /** The sessions of every project, and the projects that are gone. Throws INVALID_INPUT for a status that no kind has. */
  async listSessions(filter: CatalogFilter = {}): Promise<EverySession> {
    return listEverywhere(this.#services, filter);
  }

  /** Does work that ends on disposal, which fires its signal and waits for it. Throws ABORTED after disposal. */
  async during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    throwIfAborted(this.signal, 'The work of Holdfast');
    const result = work(this.signal);
    const settled: Promise<unknown> = result.then(
      () => this.#working.delete(settled),
      () => this.#working.delete(settled),
    );
    this.#working.add(settled);
    return result;
  }

  /** Stops work in progress and waits for it, ends the agents started through here, and closes every watch. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#working);
    await Promise.all([...this.#processes.values()].map((processes) => processes.terminateAll()));
    this.#services.tools.watcher.close();
  }

  #partsOf(services: Services): ProjectParts {
    const processesOf = () => {
      const processes = this.#processes.get(services) ?? openProcesses(services);
      this.#processes.set(services, processes);
      return processes;
    };
    return {
      directory: services.workingDirectory,
      services,
      get loops() {
        return openLoops(services);
      },
      get changes() {
        return openChanges(services);
      },
      get conversations() {
        return openConversations(services);
      },
      get processes() {
        return processesOf();
      },
      get catalog() {
        return openCatalog(services);
      },
      run: (options) => this.#stoppable(openRunIn(services, options)),
    };
  }

  #stoppable(run: Run): Run {
    return {
      ...run,
      start: (options = {}) =>
        this.during((stopping) => {
          const signals = options.signal === undefined ? [stopping] : [stopping, options.signal];
          return run.start({ ...options, signal: AbortSignal.any(signals) });
        }),
    };
  }
}

export interface OpenHoldfastOptions extends LibraryOptions {
  /** The project to use when none is named; the working directory if absent. */
  readonly directory?: string | undefined;
}

/** Opens everything, for a long-lived program. Dispose of it at the end. Throws CONFIG_INVALID. */
export function openHoldfast(options: OpenHoldfastOptions = {}): Holdfast {
  return new Holdfast(libraryServices(options, options.directory));
}
