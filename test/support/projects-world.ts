import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, type Json, type Machine, machine } from './holdfast-binary.js';
import { endAll, livingIn, until } from './processes.js';
import { status } from './run-world.js';

const PROGRAM = join(DIST, 'agents', 'scripted.cjs');

/** What the agents of these projects do with each prompt. */
const PLAYS = {
  /** Asks, and is done once answered. */
  asker: [
    {
      ask: {
        questions: [
          {
            title: 'Numbers',
            prompt: 'Which numbers should the adder know?',
            options: [{ label: 'Plain' }, { label: 'Big' }],
          },
        ],
      },
    },
    { write: { path: 'answer.txt', content: 'asked' } },
    { say: `Done.\n\n${status(true)}\n` },
  ],
  /** Works for as long as it may. */
  worker: [{ say: 'I work.\n' }, { hang: true }],
  /** Is done at once. */
  doer: [{ write: { path: 'done.txt', content: 'done' } }, { say: `Done.\n\n${status(true)}\n` }],
} as const;

export interface BeginOptions {
  /** Further arguments of the command. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Several projects of one user, each with a plan, and agents that ask, work or finish at once. Runs end with the world. */
export interface ProjectsWorld extends Machine {
  /** Creates a project and starts a run in it: in the background, or to its end if the agent is `doer`. */
  begin(project: string, agent: string, more?: BeginOptions): Promise<string>;
  at(project: string): string;
  state(project: string): Json;
  /** The rows of `holdfast top --json`. */
  rows(): Promise<Json[]>;
  /** The processes of runs. */
  runners(): number[];
}

/** `others` are further agents, by name, as in config.json. */
export async function projectsWorld(
  others: (world: Machine) => Readonly<Record<string, object>> = () => ({}),
): Promise<ProjectsWorld> {
  const world = await machine();
  const agents = Object.entries(PLAYS).map(([name, steps]) => {
    const script = world.dir.at(`${name}.json`);
    writeFileSync(script, JSON.stringify({ turns: [{ steps }], onExhausted: 'repeat-last' }));
    const environment = {
      HOLDFAST_SCRIPTED_PROTOCOL: 'claude',
      HOLDFAST_SCRIPTED_SCRIPT: script,
      HOLDFAST_SCRIPTED_STATE: world.dir.at(`${name}-state`),
    };
    return [name, { driver: 'claude', command: process.execPath, args: [PROGRAM], environment }];
  });
  world.configure({ agents: { ...Object.fromEntries(agents), ...others(world) } });
  const at = (project: string) => world.dir.at(project);
  const state = (project: string): Json =>
    JSON.parse(readFileSync(join(at(project), '.prp-session', 'loop-state.json'), 'utf8'));
  return {
    ...world,
    at,
    state,
    async begin(project, agent, { args: more = [], env = {} } = {}) {
      mkdirSync(join(at(project), 'docs'), { recursive: true, mode: 0o700 });
      const plan = `docs/${project}-plan.md`;
      writeFileSync(join(at(project), plan), '# PRP: Plan\n\n### Success Criteria\n\n- [ ] done\n');
      const args = [
        'run',
        plan,
        '--agent',
        agent,
        '--verify',
        'true',
        '--phases',
        'work',
        '--quiet',
        '--new',
        ...more,
      ];
      const isShort = agent === 'doer';
      const { code, stderr } = await world.run(isShort ? args : [...args, '--detach'], {
        cwd: at(project),
        env,
      });
      if (code !== 0) throw new Error(`the run did not start: ${stderr}`);
      // The redo record decides its first commit; the files follow.
      await until(() => existsSync(join(at(project), '.prp-session', 'loop-state.json')));
      return state(project).session_id;
    },
    async rows() {
      return (await world.json(['top'])).data;
    },
    runners: () => livingIn(world.dir.path, 'holdfast.cjs\0run'),
    async [Symbol.asyncDispose]() {
      await endAll(world.dir.path);
      await world[Symbol.asyncDispose]();
    },
  };
}
