import { expect, it } from 'vitest';
import type {
  AgentCapabilities,
  AgentConnection,
  AgentDriver,
  DriverTools,
  StartOptions,
} from '../../../src/agents/driver.js';
import { type AgentWorld, agentWorld } from '../../support/agents.js';
import type { ScriptedPlay, ScriptedTurn } from '../../support/agents-scripted.js';

/** What some protocols cannot express. */
export type Feature =
  | 'tools'
  | 'thinking'
  | 'failure'
  | 'refusal'
  | 'turn-limit'
  | 'context-overflow'
  | 'retry'
  | 'rate-limit'
  | 'limit-warning'
  /** Real agents cannot be made to send garbage, crash or flood. */
  | 'misbehaviour';

/** What drivers declare that they can or cannot do. */
const CAPABILITIES = {
  resume: ({ resume }: AgentCapabilities) => resume === 'exact',
  'no-resume': ({ resume }: AgentCapabilities) => resume === 'none',
  live: ({ conversation }: AgentCapabilities) => conversation === 'live',
  permission: ({ asksPermission }: AgentCapabilities) => asksPermission,
  usage: ({ reportsUsage }: AgentCapabilities) => reportsUsage,
  mcp: ({ takesMcpServers }: AgentCapabilities) => takesMcpServers,
} as const;

export type Need = Feature | keyof typeof CAPABILITIES;

/** An agent to test against the contract: a driver, and a way to make its agent play a script. */
export interface AgentSetup {
  readonly driver: AgentDriver;
  readonly lacks: readonly Feature[];
  prepare(
    world: AgentWorld,
    play: ScriptedPlay,
  ): Promise<Pick<StartOptions, 'command' | 'args' | 'environment' | 'workingDirectory'>>;
  /** The prompts the agent knew when it got the last one, oldest first and including the last. */
  promptsKnown(world: AgentWorld): string[];
  /** The instructions it was given outside of a prompt. */
  systemPrompt(world: AgentWorld): string | null;
}

/** What a test of the contract works with. */
export interface Stage {
  readonly world: AgentWorld;
  readonly setup: AgentSetup;
  readonly capabilities: AgentCapabilities;
  has(need: Need): boolean;
  start(
    turns: readonly ScriptedTurn[],
    overrides?: Partial<StartOptions>,
    tools?: Partial<DriverTools>,
  ): Promise<AgentConnection>;
}

export class Contract {
  readonly #setup: AgentSetup;

  constructor(setup: AgentSetup) {
    this.#setup = setup;
  }

  /**
   * A clause of the contract. Afterwards nothing may be left: no process of any program that was started, and no record
   * of one. If the agent lacks a needed feature, the clause is skipped and its name says which.
   */
  it(needs: readonly Need[], name: string, prove: (stage: Stage) => Promise<void>): void {
    this.#declare(it, needs, name, prove);
  }

  /** A clause that measures this process, so nothing else may run in it meanwhile. */
  itAlone(needs: readonly Need[], name: string, prove: (stage: Stage) => Promise<void>): void {
    this.#declare(it.sequential, needs, name, prove);
  }

  #declare(
    test: typeof it | typeof it.sequential,
    needs: readonly Need[],
    name: string,
    prove: (stage: Stage) => Promise<void>,
  ): void {
    const missing = needs.filter((need) => !this.#has(need));
    if (missing.length > 0) {
      it.skip(`${name} (SKIPPED: this agent has no ${missing.join(', ')})`, () => {});
      return;
    }
    test(name, async ({ onTestFinished }) => {
      await using world = await agentWorld();
      onTestFinished(() => world.killAll());
      await prove(this.#stage(world));
      await world.endAll();
      expect(world.alive(), 'processes left').toEqual([]);
      expect(world.records(), 'records left').toEqual([]);
    });
  }

  #stage(world: AgentWorld): Stage {
    const setup = this.#setup;
    return {
      world,
      setup,
      capabilities: setup.driver.capabilities,
      has: (need) => this.#has(need),
      async start(turns, overrides = {}, tools = {}) {
        const prepared = await setup.prepare(world, { turns });
        const options: StartOptions = {
          ...prepared,
          permissions: { mode: 'bypass' },
          mcpServers: [],
          ...overrides,
        };
        return world.start(setup.driver, options, tools);
      },
    };
  }

  #has(need: Need): boolean {
    if (need in CAPABILITIES) {
      return CAPABILITIES[need as keyof typeof CAPABILITIES](this.#setup.driver.capabilities);
    }
    return !this.#setup.lacks.includes(need as Feature);
  }
}
