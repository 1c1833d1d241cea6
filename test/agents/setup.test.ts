import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import type { ModelTurn } from '../support/fake-model/server.mjs';
import { HOLDFAST, type Machine, machine, Running } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import { itTries } from './it-tries.js';
import { prepare, REAL_AGENTS, type RealAgentName } from './real-agents.js';
import { type StandIn, standIn } from './stand-in.js';

const QUESTION = {
  title: 'Deploy',
  prompt: 'Deploy the website now?',
  options: [{ label: 'Tonight' }, { label: 'Tomorrow' }],
};
const TURNS: ModelTurn[] = [
  {
    // A real model takes longer to answer than a server to start.
    delayMs: 10_000,
    toolCalls: [
      { action: 'mcp', server: 'holdfast', tool: 'ask_user_questions', input: { questions: [QUESTION] } },
    ],
  },
  { text: 'Heard.' },
];

/** How each one works through a single prompt without a person, and where setup writes for it. */
const HEADLESS: Readonly<Record<RealAgentName, { args: readonly string[]; files: readonly string[] }>> = {
  claude: { args: ['-p', 'Ask me.'], files: ['.claude.json', '.claude/settings.json'] },
  codex: { args: ['exec', '--skip-git-repo-check', 'Ask me.'], files: ['.codex/config.toml'] },
  gemini: {
    args: ['-p', 'Ask me.', '-m', 'gemini-2.5-flash'],
    files: ['.gemini/settings.json', '.gemini/policies/holdfast.toml'],
  },
  opencode: { args: ['run', 'Ask me.'], files: ['.config/opencode/opencode.json'] },
};

/** What a careful user has: opencode asks before everything, Claude has a list of its own. */
const OWN: Partial<Record<RealAgentName, (home: string) => void>> = {
  claude: (home) => put(home, '.claude/settings.json', '{\n  "permissions": { "allow": ["Read"] }\n}\n'),
  opencode: (home) => {
    const path = join(home, '.config/opencode/opencode.json');
    const settings = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...settings, permission: 'ask' }, null, 2));
  },
};

function put(home: string, path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

/** Starts the real program in the home that setup wrote to. */
function startAgent(world: Machine, name: RealAgentName, model: StandIn): Running {
  const home = world.env.HOME ?? '';
  const { command, environment } = prepare(
    { ...REAL_AGENTS[name], files: () => ({}) },
    { home, baseUrl: model.url },
  );
  // HOLDFAST_HOME only stands in the entry.
  const { HOLDFAST_HOME: _own, ...env } = world.env;
  const child = new Running(
    spawn(command, HEADLESS[name].args, {
      cwd: world.project,
      env: {
        ...environment,
        ...env,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        PATH: `${world.dir.at('bin')}:${process.env.PATH}`,
      } as NodeJS.ProcessEnv,
    }),
  );
  child.child.stdin.end();
  return child;
}

describe('after setup --write', () => {
  for (const name of Object.keys(HEADLESS) as RealAgentName[]) {
    itTries(
      [name],
      `R03: the real ${name} asks through our tool without a prompt, and --remove leaves no trace`,
      async () => {
        await using world = await machine();
        const home = world.env.HOME ?? '';
        await using model = await standIn({ turns: TURNS }, {});
        prepare(REAL_AGENTS[name], { home, baseUrl: model.url });
        OWN[name]?.(home);
        mkdirSync(world.dir.at('bin'));
        symlinkSync(HOLDFAST, world.dir.at('bin', 'holdfast'));
        const read = () =>
          HEADLESS[name].files.map((file) => {
            const path = join(home, file);
            return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
          });
        const before = read();
        const written = await world.run(['setup', name, '--write']);
        expect(written.code).toBe(0);
        for (const file of HEADLESS[name].files) expect(written.stdout).toContain(join(home, file));
        expect(written.stdout).toContain('ask_user_questions');
        const after = read();

        const agent = startAgent(world, name, model);
        const isAsked = () => existsSync(world.questions) && world.ids().length > 0;
        await until(() => isAsked() || agent.child.exitCode !== null);
        expect(isAsked() ? '' : `${agent.stdout}${agent.stderr}`).toBe('');
        const listed = await world.json(['questions', 'list']);
        expect(JSON.stringify(listed.data)).toContain('Deploy the website now?');
        expect((await world.run(['answer', world.ids()[0] ?? '', '--text', 'after the holidays'])).code).toBe(
          0,
        );
        const ended = await agent.ended;
        expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining('Heard.')]);
        expect(model.requests().at(-1)?.lacks(['after the holidays'])).toEqual([]);

        // Agents write into their own settings; byte for byte is promised where they did not.
        const isUntouched = JSON.stringify(read()) === JSON.stringify(after);
        expect((await world.run(['setup', name, '--remove'])).code).toBe(0);
        if (isUntouched) expect(read()).toEqual(before);
        const own = (text: string | undefined) => text?.includes('holdfast') ?? false;
        expect(read().map(own)).toEqual(before.map(own));
      },
    );
  }
});
