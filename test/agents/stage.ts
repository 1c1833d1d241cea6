import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AgentConnection, StartOptions } from '../../src/agents/driver.js';
import { systemClock } from '../../src/foundation/index.js';
import { type AgentWorld, agentWorld } from '../support/agents.js';
import type { ModelTurn, Script } from '../support/fake-model/server.mjs';
import { itTries } from './it-tries.js';
import { prepare, type RealAgent } from './real-agents.js';
import { type StandIn, standIn } from './stand-in.js';

/** Where a real agent and the stand-in meet for one test. */
export interface Stage {
  readonly world: AgentWorld;
  readonly model: StandIn;
  /** Directories whose name nothing that lives on may know; the test's own is one of them. */
  readonly places: string[];
  /** A directory that no sandbox opens by itself, as it does the temporary one. */
  readonly outside: string;
  /** Whether the agent has written these words into one of its transcripts. */
  hasRecorded(words: string): boolean;
  /** Starts the agent; a second start is in the same home, as after a death of ours. */
  start(overrides?: Partial<StartOptions>): Promise<AgentConnection>;
}

/** An agent that goes round in circles must not hold up the others. */
const WATCHDOG_MS = 180_000;
/** How long what an agent started may live after it. */
const LEAVE_MS = 10_000;

/** A test with a real agent, and perhaps other programs, that hears these replies. Afterwards nothing may be left of it. */
export function itDrives(
  agent: RealAgent,
  name: string,
  replies: readonly ModelTurn[] | Script,
  prove: (stage: Stage) => Promise<void>,
  others: Parameters<typeof itTries>[0] = [],
): void {
  const script = 'turns' in replies ? replies : { turns: replies };
  const programs = [agent.name, ...others];
  itTries(programs, name, () => play(agent, script, prove), { isConcurrent: true, timeoutMs: WATCHDOG_MS });
}

async function play(agent: RealAgent, script: Script, prove: (stage: Stage) => Promise<void>): Promise<void> {
  await using world = await agentWorld();
  const outside = mkdtempSync('/var/tmp/holdfast-test-');
  await using model = await standIn(script, { cwd: world.workingDirectory, outside });
  const home = world.dir.at('home');
  const prepared = prepare(agent, { home, baseUrl: model.url });
  const hasRecorded = (words: string) => isInTranscripts(join(home, agent.transcripts), words);
  const start = (overrides: Partial<StartOptions> = {}) =>
    world.start(agent.driver, {
      ...prepared,
      workingDirectory: world.workingDirectory,
      permissions: { mode: 'bypass' },
      mcpServers: [],
      ...overrides,
    });
  const places = [world.dir.path];
  try {
    await prove({ world, model, places, outside, hasRecorded, start });
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
  await world.endAll();
  expect(world.alive(), 'processes left').toEqual([]);
  expect(world.records(), 'records left').toEqual([]);
  expect(await strangers(places), 'processes left without our marker').toEqual([]);
}

function isInTranscripts(directory: string, words: string): boolean {
  if (!existsSync(directory)) return false;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.jsonl'))
    .some((path) => readFileSync(join(directory, path), 'utf8').includes(words));
}

/**
 * Processes that know one of these directories, once those that leave by themselves have left: Codex starts MCP servers with an
 * environment of their own, without our marker.
 */
async function strangers(places: readonly string[]): Promise<string[]> {
  const end = systemClock.monotonicMs() + LEAVE_MS;
  for (;;) {
    const found = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && knows(pid, places));
    if (found.length === 0 || systemClock.monotonicMs() > end) return found.map(commandOf);
    await systemClock.sleep(50);
  }
}

function knows(pid: string, places: readonly string[]): boolean {
  const words = `${readProcess(pid, 'environ')}${readProcess(pid, 'cmdline')}`;
  return places.some((place) => words.includes(place));
}

function commandOf(pid: string): string {
  return `${pid}: ${readProcess(pid, 'cmdline').replaceAll('\0', ' ')}`;
}

/** Nothing of a process that is gone. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
