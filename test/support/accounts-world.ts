import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, type Json, type Machine, machine, type Running } from './holdfast-binary.js';

const PROGRAM = join(DIST, 'agents', 'scripted.cjs');
const PLAN = 'docs/plan.md';

/** One machine with several projects, whose runs share an account and the daily budget. */
export interface AccountsWorld extends Machine {
  /** Starts or resumes the run of a project, with its own script. */
  begin(project: string, args?: readonly string[]): Running;
  /** Sets what the agent of a project does with its prompts. */
  script(project: string, turns: unknown): void;
  /** The projects whose agents were prompted, in order. */
  prompted(): string[];
  /** `<state>/accounts/<key>.json`; undefined if the account is open. */
  window(key?: string): Json | undefined;
  /** Simulates the service moving the end of the window to the next moment, and returns that moment. */
  resetSoon(key?: string): string;
}

export async function accountsWorld(
  projects: readonly string[],
  settings: object = {},
): Promise<AccountsWorld> {
  const world = await machine({ path: process.env.PATH ?? '' });
  const agents = Object.fromEntries(projects.map((project) => [project, agentOf(world, project)]));
  world.configure({ ...settings, agents });
  for (const project of projects) {
    mkdirSync(join(world.dir.at(project), 'docs'), { recursive: true });
    writeFileSync(
      join(world.dir.at(project), PLAN),
      `# PRP: ${project}\n\n### Success Criteria\n\n- [ ] done\n`,
    );
  }
  const accounts = join(world.env.HOLDFAST_HOME ?? '', 'state', 'accounts');
  const window = (key = 'claude') => {
    const path = join(accounts, `${key}.json`);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  };
  return {
    ...world,
    begin: (project, args = []) =>
      world.start(['run', PLAN, '--agent', project, ...USUAL, ...args], { cwd: world.dir.at(project) }),
    script: (project, turns) =>
      writeFileSync(world.dir.at(`${project}.json`), JSON.stringify({ turns, onExhausted: 'repeat-last' })),
    prompted() {
      const path = world.dir.at('notes.jsonl');
      if (!existsSync(path)) return [];
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => /^# (\w+)/.exec(JSON.parse(line).prompt)?.[1] ?? line);
    },
    window,
    resetSoon(key = 'claude') {
      const until = new Date(Date.now() + 1_000).toISOString();
      const path = join(accounts, `${key}.json`);
      writeFileSync(`${path}.moved`, JSON.stringify({ ...window(key), until }));
      renameSync(`${path}.moved`, path);
      return until;
    },
  };
}

const USUAL = ['--phases', 'work', '--verify', 'true', '--json', '--dirty'];

function agentOf(world: Machine, project: string) {
  return {
    driver: 'claude',
    command: process.execPath,
    args: [PROGRAM],
    environment: {
      HOLDFAST_SCRIPTED_PROTOCOL: 'claude',
      HOLDFAST_SCRIPTED_SCRIPT: world.dir.at(`${project}.json`),
      HOLDFAST_SCRIPTED_STATE: world.dir.at(`state-${project}`),
      HOLDFAST_SCRIPTED_NOTES: world.dir.at('notes.jsonl'),
    },
  };
}
