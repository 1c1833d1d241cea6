import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIST, type Json, type Machine, machine, type Outcome, type RunOptions } from './holdfast-binary.js';
import { pathWithRememberedChecks } from './remembered-checks.js';

export { living } from './processes.js';

const PROGRAM = join(DIST, 'agents', 'scripted.cjs');

export const PLAN = 'docs/prps/adder.md';
export const CHECK = 'node --test';

/** How an agent says that it is done, or not done. */
export function status(exitSignal: boolean): string {
  return [
    '---PRP_PHASE_STATUS---',
    `STATUS: ${exitSignal ? 'COMPLETE' : 'IN_PROGRESS'}`,
    `EXIT_SIGNAL: ${exitSignal}`,
    'RECOMMENDATION: go on',
    '---END_PRP_PHASE_STATUS---',
  ].join('\n');
}

export const say = (text: string) => ({ say: text });
export const write = (path: string, content: string) => ({ write: { path, content } });
export const done = say(`Done.\n\n${status(true)}\n`);
export const notDone = say(`Not yet.\n\n${status(false)}\n`);

export const TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
const adder = () => import('../adder.mjs');
test('adds', async () => assert.equal((await adder()).add(2, 2), 4));
test('subtracts', async () => assert.equal((await adder()).subtract(5, 2), 3));
`;
export const CODE = 'export const add = (a, b) => a + b;\nexport const subtract = (a, b) => a - b;\n';

/** One turn for each phase: failing tests, code, cleanup, documentation. */
export const RED = { steps: [write('test/adder.test.mjs', TESTS), done] };
export const GREEN = { steps: [write('adder.mjs', CODE), done] };
export const REFACTOR = { steps: [write('adder.mjs', `// Plain sums.\n${CODE}`), done] };
export const DOCUMENT = {
  steps: [
    write('README.md', '# Adder\n'),
    write('docs/usage.md', '# Usage\n'),
    write('docs/decisions/0001-plain-numbers.md', '# Plain numbers\n'),
    done,
  ],
};
export const WHOLE_WAY = [RED, GREEN, REFACTOR, DOCUMENT];

/** A project with a plan, and an agent `player` that plays a script and remembers its conversations. */
export interface RunWorld extends Machine {
  /** Runs `holdfast run` on the plan to its end. */
  go(args?: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** The same with --json: returns its events. */
  events(args?: readonly string[], options?: RunOptions): Promise<{ code: number | null; events: Json[] }>;
  begin(args?: readonly string[], options?: RunOptions): ReturnType<Machine['start']>;
  /** Every prompt the agent got, and what it knew then. */
  prompts(): { prompt: string; session: string; history: { text: string }[] }[];
  /** loop-state.json. */
  state(): Json;
  loopFile(name: string): Json;
  put(path: string, text: string): void;
  script(play: unknown): void;
}

/** The usual command; checks given by the test replace the usual one. */
function command(args: readonly string[]): string[] {
  const checks = args.includes('--verify') ? [] : ['--verify', CHECK];
  return ['run', PLAN, '--agent', 'player', ...checks, ...args];
}

export async function runWorld(
  turns: unknown,
  options: { onExhausted?: string; protocol?: 'claude' | 'acp' | 'codex'; settings?: object } = {},
): Promise<RunWorld> {
  const world = await machine({ path: await pathWithRememberedChecks(process.env.PATH ?? '') });
  const { protocol = 'claude', onExhausted = 'repeat-last' } = options;
  const script = (play: unknown) =>
    writeFileSync(world.dir.at('script.json'), JSON.stringify({ turns: play, onExhausted }));
  script(turns);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(world.project, path)), { recursive: true });
    writeFileSync(join(world.project, path), text);
  };
  put(PLAN, '# PRP: Adder\n\n### Success Criteria\n\n- [ ] adds\n- [ ] subtracts\n');
  world.configure({
    ...options.settings,
    agents: {
      player: {
        driver: protocol,
        command: process.execPath,
        args: [PROGRAM],
        environment: {
          HOLDFAST_SCRIPTED_PROTOCOL: protocol,
          HOLDFAST_SCRIPTED_SCRIPT: world.dir.at('script.json'),
          HOLDFAST_SCRIPTED_STATE: world.dir.at('state'),
          HOLDFAST_SCRIPTED_NOTES: world.dir.at('notes.jsonl'),
        },
      },
    },
  });
  const loopFile = (name: string) =>
    JSON.parse(readFileSync(join(world.project, '.prp-session', name), 'utf8'));
  return {
    ...world,
    go: (args = [], more) => world.run(command(args), more),
    async events(args = [], more) {
      const { code, stdout, stderr } = await world.run(command(['--json', ...args]), more);
      const lines = stdout.split('\n').filter((line) => line !== '');
      if (lines.length === 0) throw new Error(`no events: ${stderr}`);
      return { code, events: lines.map((line) => JSON.parse(line)) };
    },
    begin: (args = [], more) => world.start(command(args), more),
    prompts() {
      const path = world.dir.at('notes.jsonl');
      if (!existsSync(path)) return [];
      // Anything after the last line break is still being written.
      return readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    },
    state: () => loopFile('loop-state.json'),
    loopFile,
    put,
    script,
  };
}
