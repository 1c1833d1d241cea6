import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type DetachedWorld, detachedWorld, HANG, isGone } from '../support/detached-world.js';
import type { ModelTurn } from '../support/fake-model/server.mjs';
import { HOLDFAST, type Json, type Outcome, RALPHTOOL, Running } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import { PLAN } from '../support/run-world.js';
import { itTries } from './it-tries.js';
import { prepare, REAL_AGENTS } from './real-agents.js';
import { standIn } from './stand-in.js';

const PLUGIN = fileURLToPath(new URL('../../integrations/claude-code', import.meta.url));
/** What the text of `/bp:autonomous` tells a model to run. */
const COMMAND = "holdfast run --detach --json -- '<path>'";
const { claude } = REAL_AGENTS;

/** A project in which the real Claude Code can be started, with our programs on its path. */
interface PluginWorld extends DetachedWorld {
  /** Runs `claude` to its end, with a model that says this; of each request, whether it held plan and command. */
  claude(args: readonly string[], turns?: readonly ModelTurn[]): Promise<Outcome & { told: boolean[] }>;
  /** Types something with the plugin there; what came of it, tool by tool. */
  type(prompt: string, turns: readonly ModelTurn[]): Promise<Typed>;
}

interface Typed {
  readonly init: Json;
  /** What each call of a tool came to. */
  readonly results: { readonly isError: boolean; readonly text: string }[];
  readonly denials: string[];
  readonly answer: string;
}

async function pluginWorld(): Promise<PluginWorld> {
  const settings = { agent: 'player' };
  const world = await detachedWorld([HANG], { settings });
  // The checks of the project are guessed, as for everybody who types nothing but a plan.
  world.put('package.json', JSON.stringify({ scripts: { test: 'node --test' } }));
  const bin = world.dir.at('bin');
  mkdirSync(bin);
  symlinkSync(HOLDFAST, join(bin, 'holdfast'));
  symlinkSync(RALPHTOOL, join(bin, 'ralphtool'));
  const run: PluginWorld['claude'] = async (args, turns = []) => {
    await using model = await standIn({ turns }, {});
    const home = world.env.HOME ?? '';
    const { command, environment } = prepare(claude, { home, baseUrl: model.url });
    const env = { ...environment, ...world.env, PATH: `${bin}:${process.env.PATH}` } as NodeJS.ProcessEnv;
    const child = new Running(spawn(command, args, { cwd: world.project, env }));
    child.child.stdin.end();
    const outcome = await child.ended;
    const told = model.requests().map((request) => request.lacks([PLAN, COMMAND]).length === 0);
    return { ...outcome, told };
  };
  return {
    ...world,
    claude: run,
    async type(prompt, turns) {
      const options = ['--output-format', 'stream-json', '--verbose', '--plugin-dir', PLUGIN];
      const { stdout, stderr } = await run(['-p', prompt, ...options], turns);
      const events: Json[] = stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
      const result = events.find(({ type }) => type === 'result');
      if (result === undefined) throw new Error(`no result: ${stdout}${stderr}`);
      return {
        init: events.find(({ subtype }) => subtype === 'init'),
        results: events
          .filter(({ type }) => type === 'user')
          .flatMap(({ message }) => message.content)
          .filter(({ type }: Json) => type === 'tool_result')
          .map(({ is_error, content }: Json) => ({
            isError: is_error === true,
            text: typeof content === 'string' ? content : JSON.stringify(content),
          })),
        denials: result.permission_denials.map(({ tool_input }: Json) => tool_input.command),
        answer: result.result,
      };
    },
  };
}

function itPlugs(name: string, prove: (world: PluginWorld) => Promise<void>): void {
  itTries([claude.name], name, async () => {
    await using world = await pluginWorld();
    await prove(world);
  });
}

function verifiesReally(id: 'L15', clause: string, prove: (world: PluginWorld) => Promise<void>): void {
  itPlugs(`${id}: ${clause}`, prove);
}

const bash = (command: string): ModelTurn => ({ toolCalls: [{ action: 'bash', command }] });
const START = bash(COMMAND.replace('<path>', PLAN));
const SAID: ModelTurn = { text: 'Said.' };

describe('the plugin in the real Claude Code', () => {
  itPlugs('is valid, and has nothing to warn about', async (world) => {
    for (const path of [PLUGIN, join(PLUGIN, '.claude-plugin', 'plugin.json')]) {
      const { code, stdout } = await world.claude(['plugin', 'validate', '--strict', '--json', path]);
      expect({ code, stdout }).toMatchObject({ code: 0 });
    }
  });

  itPlugs('is installed from its directory and removed again', async (world) => {
    const done = { code: 0 };
    const list = async () => JSON.parse((await world.claude(['plugin', 'list', '--json'])).stdout);
    expect(await world.claude(['plugin', 'marketplace', 'add', PLUGIN])).toMatchObject(done);
    expect(await world.claude(['plugin', 'install', 'bp@holdfast'])).toMatchObject(done);
    expect(await list()).toMatchObject([{ id: 'bp@holdfast', enabled: true }]);
    expect((await world.claude(['mcp', 'list'])).stdout).toMatch(
      /plugin:bp:holdfast: holdfast mcp .*Connected/,
    );
    expect(await world.claude(['plugin', 'uninstall', 'bp@holdfast'])).toMatchObject(done);
    expect(await world.claude(['plugin', 'marketplace', 'remove', 'holdfast'])).toMatchObject(done);
    expect(await list()).toEqual([]);
  });

  itPlugs('has the command, the skill, and the two tools of a server that is connected', async (world) => {
    const { init } = await world.type('hello', [SAID]);
    expect(init.slash_commands).toContain('bp:autonomous');
    expect(init.skills).toContain('bp:holdfast');
    expect(init.mcp_servers).toMatchObject([{ name: 'plugin:bp:holdfast', status: 'connected' }]);
    expect(init.tools).toEqual(
      expect.arrayContaining([
        'mcp__plugin_bp_holdfast__ask_user_questions',
        'mcp__plugin_bp_holdfast__get_answered_questions',
      ]),
    );
  });

  itPlugs('asks through its tool without a prompt, and allows no other tool', async (world) => {
    const ask: ModelTurn = {
      toolCalls: [
        {
          name: 'mcp__plugin_bp_holdfast__ask_user_questions',
          input: {
            questions: [
              { title: 'Deploy', prompt: 'Deploy now?', options: [{ label: 'Yes' }, { label: 'No' }] },
            ],
          },
        },
      ],
    };
    const typed = world.type('Ask me.', [ask, bash('touch mark'), SAID]);
    const isAsked = () => existsSync(world.questions) && world.ids().length > 0;
    await Promise.race([until(isAsked), typed]);
    expect(isAsked()).toBe(true);
    expect((await world.run(['answer', world.ids()[0] ?? '', '--option', 'No'])).code).toBe(0);
    const { results, denials } = await typed;
    expect(results[0]).toEqual({ isError: false, text: expect.stringContaining('"selectedOption":"No"') });
    expect(denials).toEqual(['touch mark']);
  });

  verifiesReally('L15', '/bp:autonomous creates the session, and then resumes it', async (world) => {
    const typed = `/bp:autonomous ${PLAN}`;
    const first = await world.type(typed, [START, SAID]);
    expect(first).toMatchObject({ denials: [], answer: 'Said.', results: [{ isError: false }] });
    const started = JSON.parse(first.results[0]?.text ?? '');
    expect(started).toMatchObject({ isResumed: false, plan: PLAN, exitCode: null });
    expect(world.state()).toMatchObject({ session_id: started.sessionId, prp_file: PLAN, status: 'running' });
    // Claude Code is over; the run is not.
    expect(world.runs()).toEqual([started.pid]);
    await until(() => world.prompts().length === 1);

    const meanwhile = await world.type(typed, [START, SAID]);
    expect(meanwhile.results).toEqual([{ isError: true, text: expect.stringContaining('"code":"LOCKED"') }]);
    expect(world.runs()).toEqual([started.pid]);

    await world.stop(started.pid);
    expect(world.state()).toMatchObject({ status: 'suspended' });
    const second = await world.type(typed, [START, SAID]);
    const resumed = JSON.parse(second.results[0]?.text ?? '');
    expect(resumed).toMatchObject({ sessionId: started.sessionId, isResumed: true, exitCode: null });
    await until(() => world.prompts().length === 2);
    process.kill(resumed.pid, 'SIGTERM');
    await until(() => isGone(resumed.pid));
    expect(world.state()).toMatchObject({ session_id: started.sessionId, status: 'suspended' });
  });

  itPlugs('cannot be told by the model itself to leave an agent alone', async (world) => {
    const call: ModelTurn = { toolCalls: [{ name: 'Skill', input: { skill: 'bp:autonomous', args: PLAN } }] };
    const { results } = await world.type('hello', [call, START, SAID]);
    expect(results).toEqual([
      { isError: true, text: expect.stringContaining('disable-model-invocation') },
      { isError: true, text: expect.stringContaining('requires approval') },
    ]);
    expect(world.runs()).toEqual([]);
  });

  verifiesReally('L15', 'the model is told the plan and the one command to run', async (world) => {
    const { told, stdout } = await world.claude(
      ['-p', `/bp:autonomous ${PLAN}`, '--output-format', 'json', '--plugin-dir', PLUGIN],
      [SAID],
    );
    expect(JSON.parse(stdout)).toMatchObject({ is_error: false, result: 'Said.' });
    expect(told).toEqual([true]);
  });

  verifiesReally(
    'L15',
    'nothing else is allowed: no option, no second command, no text that is run',
    async (world) => {
      const mark = join(world.project, 'mark');
      const attempts = [
        `holdfast run --detach --json --verify 'touch ${mark}' -- '${PLAN}'`,
        `holdfast run --detach --json --permissions bypass -- '${PLAN}'`,
        `holdfast run --detach --json -- '${PLAN}'; touch '${mark}'`,
        `holdfast run --detach --json -- "$(touch '${mark}')"`,
        `holdfast run --detach --json -- '${PLAN}' > '${mark}'`,
      ];
      const { denials, results } = await world.type(`/bp:autonomous ${PLAN} !\`touch mark\` $(touch mark)`, [
        ...attempts.map(bash),
        bash(`holdfast run --detach --json -- '--verify=touch mark'`),
        SAID,
      ]);
      expect(denials).toEqual(attempts);
      // Behind the two dashes everything is a path.
      expect(results.at(-1)).toEqual({
        isError: true,
        text: expect.stringContaining('"code":"PLAN_NOT_FOUND"'),
      });
      expect(existsSync(mark)).toBe(false);
      expect(world.runs()).toEqual([]);
      expect(existsSync(join(world.project, '.prp-session'))).toBe(false);
    },
  );
});
