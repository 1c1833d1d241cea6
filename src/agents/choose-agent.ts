import type { Logger } from '../foundation/index.js';
import { HoldfastError, messageOf } from '../foundation/index.js';
import { findProgram, ProgramNotStartedError, type ProgramTools, runProgram } from '../programs/index.js';
import type { FileSystem } from '../storage/index.js';
import { type AgentFile, readAgentFiles } from './agent-files.js';
import { type AgentDefinition, agentNamed, BUILT_IN_AGENTS, DEFAULT_ORDER } from './definitions.js';

/** No agent was named, and none of the usual ones is installed. */
class NoAgentError extends HoldfastError<'NO_AGENT'> {
  readonly code = 'NO_AGENT';

  constructor() {
    super(`None of ${DEFAULT_ORDER.join(', ')} is installed`, {
      hint: 'Install one, set `agent` in config.json, or try `--agent scripted`, which needs nothing.',
    });
  }
}

/** Where to look for agents, and what the user has configured. */
export interface AgentChoiceOptions {
  readonly fileSystem: FileSystem;
  readonly log: Logger;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's own; they come before built-in ones of the same name. */
  readonly own: readonly AgentDefinition[];
  readonly scripted: AgentDefinition;
  /** The name of the agent to use if none is named. */
  readonly usual: string | undefined;
  /** Where Markdown files may describe agents. */
  readonly places: { readonly project: string; readonly home: string };
  /** The means and the directory to run a program with `--version`. */
  readonly versions: { readonly tools: ProgramTools; readonly directory: string };
}

const VERSION_TIMEOUT_MS = 10_000;

/** All known agents, and which of them to use. */
export class AgentChoice {
  readonly #options: AgentChoiceOptions;

  constructor(options: AgentChoiceOptions) {
    this.#options = options;
  }

  /** The user's own, then the built-in ones that they do not replace. */
  list(): AgentDefinition[] {
    const { own, scripted } = this.#options;
    const names = new Set(own.map(({ name }) => name));
    return [...own, ...[...BUILT_IN_AGENTS, scripted].filter(({ name }) => !names.has(name))];
  }

  /**
   * The agents that Markdown files of the project and of the user describe: the usual agent with another prompt and
   * perhaps another model. Empty if there is no usual agent.
   */
  described(): AgentDefinition[] {
    const files = this.#files();
    const agents = this.list();
    const usual =
      agents.find(({ name }) => name === this.#options.usual) ??
      (files.length > 0 && this.#firstInstalled(agents));
    if (!usual) return [];
    return files.map(({ name, model, systemPrompt, path }) => ({
      ...usual,
      name,
      model: model ?? usual.model,
      systemPrompt,
      source: path,
    }));
  }

  /** The names that Markdown files of the project and of the user give to agents. */
  describedNames(): string[] {
    return this.#files().map(({ name }) => name);
  }

  /** The agent to use: the named one, the configured one, or the first that is installed. Throws AGENT_UNKNOWN, NO_AGENT. */
  choose(name: string | undefined): AgentDefinition {
    const wanted = name ?? this.#options.usual;
    if (wanted !== undefined) return this.#named(wanted);
    const found = this.#firstInstalled(this.list());
    if (found === undefined) throw new NoAgentError();
    return found;
  }

  /** The same, provided that its program is installed. Throws AGENT_UNKNOWN, NO_AGENT, PROGRAM_NOT_STARTED. */
  chooseInstalled(name: string | undefined): AgentDefinition {
    const agent = this.choose(name);
    if (this.locate(agent) === undefined)
      throw new ProgramNotStartedError(agent.command, Object.assign(new Error(), { code: 'ENOENT' }));
    return agent;
  }

  /** Where an agent's program is; undefined if it is not installed. */
  locate(agent: AgentDefinition): string | undefined {
    const { fileSystem, environment } = this.#options;
    return findProgram(fileSystem, agent.command, agent.environment.PATH ?? environment.PATH);
  }

  /** What an agent's program answers to `--version`; null if it does not answer in time. */
  async versionOf(agent: AgentDefinition): Promise<string | null> {
    const { environment, log, versions } = this.#options;
    const spec = {
      command: agent.command,
      args: [...agent.args, '--version'],
      workingDirectory: versions.directory,
      environment: { ...environment, ...agent.environment },
    };
    try {
      const { lines, exit } = await runProgram(versions.tools, spec, VERSION_TIMEOUT_MS);
      return exit.code === 0 ? (lines.find((line) => line.trim() !== '')?.trim() ?? null) : null;
    } catch (error) {
      log.debug('agent.no-version', { agent: agent.name, error: messageOf(error) });
      return null;
    }
  }

  #named(wanted: string): AgentDefinition {
    const agents = [...this.list(), ...this.described()];
    const file = this.#files().find(({ name }) => name === wanted);
    // A file describes it, but there is no usual agent to base it on.
    if (file !== undefined && !agents.some(({ name }) => name === wanted)) throw new NoAgentError();
    const agent = agentNamed(agents, wanted);
    // Somebody who wrote `tools: Read` there should know that it restricts nothing here.
    if (file !== undefined && agent.source === file.path && file.notTaken.length > 0)
      this.#options.log.warn('agent.file-keys-ignored', { path: file.path, keys: file.notTaken });
    return agent;
  }

  #firstInstalled(agents: readonly AgentDefinition[]): AgentDefinition | undefined {
    return DEFAULT_ORDER.flatMap((name) => agents.filter((agent) => agent.name === name)).find(
      (agent) => this.locate(agent) !== undefined,
    );
  }

  #files(): AgentFile[] {
    return readAgentFiles(this.#options.fileSystem, this.#options.places);
  }
}
