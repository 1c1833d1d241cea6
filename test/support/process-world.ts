import { acpDriver } from '../../src/agents/acp/index.js';
import { claudeDriver } from '../../src/agents/claude/index.js';
import { codexDriver } from '../../src/agents/codex/index.js';
import type { AgentDriver } from '../../src/agents/driver.js';
import { ProgramRegistry } from '../../src/programs/index.js';
import {
  type AgentLaunch,
  FileProcessStore,
  ProcessSessions,
  type ProcessSessionsOptions,
} from '../../src/sessions/process/index.js';
import { type AgentWorld, agentWorld } from './agents.js';
import { type ScriptedPlay, scriptedStart } from './agents-scripted.js';
import { storageTools } from './storage-tools.js';

export type SpokenProtocol = 'acp' | 'claude' | 'codex';
const DRIVERS: Readonly<Record<SpokenProtocol, AgentDriver>> = {
  acp: acpDriver(),
  claude: claudeDriver,
  codex: codexDriver,
};

/** Process sessions over real processes: our scripted program behind a real driver. */
export interface ProcessWorld extends AsyncDisposable {
  readonly agents: AgentWorld;
  readonly store: FileProcessStore;
  readonly sessions: ProcessSessions;
  /** How many agents have been started. */
  starts(): number;
  launch(play: ScriptedPlay, protocol?: SpokenProtocol): Promise<AgentLaunch>;
  /** The sessions as another process would see them. */
  other(options?: Partial<ProcessSessionsOptions>): ProcessSessions;
}

export async function processWorld(
  options: Partial<ProcessSessionsOptions> & {
    play?: ScriptedPlay;
    protocol?: SpokenProtocol;
    /** Whether the working directory is measured. */
    measures?: boolean;
  } = {},
): Promise<ProcessWorld> {
  const agents = await agentWorld();
  const tools = storageTools({ log: agents.log });
  const store = new FileProcessStore(tools, {
    directory: agents.dir.at('processes'),
    trash: agents.dir.at('trash'),
  });
  const { play = { turns: [] }, protocol, measures = false, ...rest } = options;
  let starts = 0;
  const launch = async (play: ScriptedPlay, protocol: SpokenProtocol = 'acp'): Promise<AgentLaunch> => {
    const spec = await scriptedStart(agents, protocol, play);
    return {
      agent: 'scripted',
      launch: {
        driver: protocol,
        command: spec.command,
        args: [...spec.args],
        workingDirectory: spec.workingDirectory,
        env: [],
        permissions: 'edits',
        model: null,
        mcpServers: [],
      },
      start: ({ resume, onOutput, signal }) => {
        starts += 1;
        return agents.start(DRIVERS[protocol], {
          ...spec,
          permissions: { mode: measures ? 'bypass' : 'edits' },
          mcpServers: [],
          resume,
          onOutput,
          signal,
        });
      },
    };
  };
  const registry = new ProgramRegistry(tools, agents.dir.at('git-programs'));
  const workbench = measures ? { ...tools, registry, environment: process.env } : undefined;
  const other = (more: Partial<ProcessSessionsOptions> = {}) =>
    new ProcessSessions({
      ...tools,
      store,
      workbench,
      launch: () => launch(play, protocol),
      ...rest,
      ...more,
    });
  const sessions = other();
  return {
    agents,
    store,
    sessions,
    starts: () => starts,
    launch,
    other,
    async [Symbol.asyncDispose]() {
      await agents[Symbol.asyncDispose]();
    },
  };
}
