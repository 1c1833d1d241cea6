import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/agents.js';
import { type Json, RALPHTOOL, type Running } from '../support/holdfast-binary.js';
import { type RunWorld, runWorld } from '../support/run-world.js';
import { openspec } from './openspec.js';
import { type RealAgent, settingsFor } from './real-agents.js';
import { STORIES } from './run-plays.js';
import type { Stage } from './stage.js';

/** A project with a plan in which `holdfast run` drives a real agent. */
export async function runGround(agent: RealAgent, stage: Stage): Promise<RunWorld> {
  const world = await runWorld([]);
  stage.places.push(world.dir.path);
  const settings = settingsFor(agent, { home: stage.world.dir.at('home'), baseUrl: stage.model.url });
  // As npm would link it.
  const programs = world.dir.at('bin');
  mkdirSync(programs);
  symlinkSync(RALPHTOOL, join(programs, 'ralphtool'));
  const environment = { ...settings.environment, PATH: `${programs}:${settings.environment.PATH}` };
  world.configure({ agents: { player: { ...settings, environment } } });
  return world;
}

/** Puts a change into the project, made by the real program and filled as a person would. */
export function makeChange(world: RunWorld, home: string): void {
  openspec(home, world.project, 'init', '--tools', 'none', '.');
  openspec(home, world.project, 'new', 'change', 'add-x');
  const stories = Array.from({ length: STORIES }, (_, index) => index + 1);
  const tasks = stories.map((n) => `## ${n}. Story ${n}\n\n- [ ] ${n}.1 Do it\n- [ ] ${n}.2 Try it\n`);
  world.put('openspec/changes/add-x/proposal.md', '## Why\n\nWe want x.\n\n## What Changes\n\n- x\n');
  world.put('openspec/changes/add-x/design.md', '# Design\n\nPlain.\n');
  world.put('openspec/changes/add-x/tasks.md', tasks.join('\n'));
  world.put('test/one.test.mjs', "import test from 'node:test';\ntest('one', () => {});\n");
}

/** Which prompts the model was told in one request after the other; each is there once. */
export function promptsTold({ model }: Stage): string[] {
  const told = model.requests().map((request) => request.matches(PROMPTS));
  const twice = told.find((prompts) => new Set(prompts).size !== prompts.length);
  if (twice !== undefined) throw new Error(`a prompt was sent twice: ${twice.join(' | ')}`);
  return (told.at(-1) ?? []).map((prompt) => prompt.replace(/^Iteration (.*), begun .*$/, '$1'));
}

const PROMPTS = /Iteration \d+ of [\w ]+, begun \S+\. The plan/g;

/** Who said something in the conversation of the run, in order. */
export function rolesIn(world: RunWorld): string[] {
  const directory = join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions');
  const file = join(directory, `run-${world.state().session_id}.jsonl`);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as Json)
    .flatMap(({ type, role }) => (type === 'turn' ? [role] : []));
}

/** Waits for something that a run must come to, and not for ever. */
export async function reaches(run: Running, isSo: () => boolean): Promise<void> {
  await eventually(() => isSo() || run.child.exitCode !== null);
  if (run.child.exitCode !== null) throw new Error(`it ended before: ${run.stderr}`);
}

/** The card that waits for an answer; undefined when the run is over before there is one. */
export async function nextCard(run: Running, list: () => Promise<Json>): Promise<Json> {
  while (run.child.exitCode === null) {
    const [card] = (await list()).data.filter(({ status }: Json) => status === 'pending');
    if (card !== undefined) return card;
  }
  return undefined;
}
