import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import type { AgentConnection, StartOptions } from '../../src/agents/driver.js';
import { PERMISSION_MODES, type PermissionRequest } from '../../src/agents/permission.js';
import { converse, eventually, Following } from '../support/agents.js';
import type { ModelTurn } from '../support/fake-model/server.mjs';
import { prepare, REAL_AGENTS } from './real-agents.js';
import { itDrives, type Stage } from './stage.js';

const execute = promisify(execFile);
const { codex } = REAL_AGENTS;
const DONE: ModelTurn = { text: 'Done.', usage: { input: 90, output: 9 } };
const WRITE = { action: 'write_file', path: '{{cwd}}/made.txt', content: 'made\n' } as const;
const bash = (command: string) => ({ action: 'bash', command }) as const;
const outOfTheSandbox = (cmd: string) => ({
  name: 'exec_command',
  input: { cmd, sandbox_permissions: 'require_escalated', justification: 'It needs the network.' },
});
/** Runs a command that does not end. */
const HANGS: ModelTurn = {
  toolCalls: [bash('touch "{{cwd}}/started"; tail -f /dev/null')],
  usage: { input: 70, output: 7, cacheRead: 5 },
};

describe('the trust that Codex has in a project', () => {
  const settings = (stage: Stage) => stage.world.dir.at('home/.codex/config.toml');
  const own = ['', 'sandbox_mode = "workspace-write"', 'sandbox_mode = "danger-full-access"'];
  const cases = PERMISSION_MODES.flatMap((mode) => own.map((setting) => [mode, setting] as const));

  for (const [mode, setting] of cases) {
    const beside = setting === '' ? '' : ` beside the user's ${setting}`;
    itDrives(
      codex,
      `is not changed by ${mode}${beside}, at the first start and at a resume`,
      [{ toolCalls: [WRITE] }, { toolCalls: [bash('touch "{{cwd}}/ran"')] }, DONE, DONE],
      async (stage) => {
        makeRepository(stage.world.workingDirectory);
        const prepared = `${setting}\n${readFileSync(settings(stage), 'utf8')}`;
        writeFileSync(settings(stage), prepared);
        const permissions = { mode, ask: async () => true };
        const connection = await stage.start({ permissions });
        expect((await converse(connection, 'go')).reason).toBe('completed');
        expect(existsSync(join(stage.world.workingDirectory, 'made.txt'))).toBe(true);
        expect(existsSync(join(stage.world.workingDirectory, 'ran'))).toBe(true);
        await connection.end();
        const again = await stage.start({ permissions, ...handleOf(connection) });
        expect((await converse(again, 'on')).reason).toBe('completed');
        await again.end();
        expect(readFileSync(settings(stage), 'utf8')).toBe(prepared);
      },
    );
  }
});

describe('what Codex asks', () => {
  const long = `echo begin\n${'# padding\n'.repeat(4_000)}touch "{{outside}}/the-end"`;

  itDrives(
    codex,
    'is told with the whole command, however long, and the reason',
    [{ toolCalls: [outOfTheSandbox(long)] }, DONE],
    async ({ start, outside }) => {
      const { asked, turn } = await asking(start, async () => true);
      const command = long.replace('{{outside}}', outside);
      expect(asked).toMatchObject([{ kind: 'execute', input: { command, reason: 'It needs the network.' } }]);
      expect(turn.of('permission')).toMatchObject([{ decision: 'allowed', by: 'a person' }]);
      expect(existsSync(join(outside, 'the-end'))).toBe(true);
    },
  );

  itDrives(
    codex,
    'is told with the whole change of a file and its place',
    [{ toolCalls: [{ ...WRITE, path: '{{outside}}/made.txt', content: 'one\ntwo\n'.repeat(500) }] }, DONE],
    async ({ start, outside }) => {
      const { asked } = await asking(start, async () => false);
      const path = join(outside, 'made.txt');
      const changes = [{ path, kind: 'add', diff: 'one\ntwo\n'.repeat(500) }];
      expect(asked).toMatchObject([{ kind: 'edit', title: path, locations: [path], input: { changes } }]);
      expect(existsSync(path)).toBe(false);
    },
  );

  itDrives(
    codex,
    'and is denied is told why, before it goes on',
    [{ toolCalls: [outOfTheSandbox('touch "{{outside}}/ran"')] }, DONE],
    async ({ start, model, outside }) => {
      const turn = await converse(await start({ permissions: { mode: 'edits' } }), 'go');
      expect(turn.of('permission')).toMatchObject([{ decision: 'denied', by: 'only edits are accepted' }]);
      expect([turn.reason, turn.text]).toEqual(['completed', 'Done.']);
      expect(model.requests()[1]?.lacks(['Not permitted: only edits are accepted'])).toEqual([]);
      expect(existsSync(join(outside, 'ran'))).toBe(false);
    },
  );

  itDrives(
    codex,
    'about a tool of a server of its own is a question for the person',
    [{ toolCalls: [{ action: 'mcp', server: 'own', tool: 'greet', input: { name: 'Ada' } }] }, DONE],
    async ({ start, world }) => {
      const server = world.dir.at('own-server.mjs');
      writeFileSync(server, OWN_SERVER);
      const own = `\n[mcp_servers.own]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(server)}]\n`;
      writeFileSync(world.dir.at('home/.codex/config.toml'), own, { flag: 'a' });
      const { asked, turn } = await asking(start, async () => true);
      expect(asked).toMatchObject([{ name: 'mcp__own__greet', input: { name: 'Ada' } }]);
      expect(turn.of('tool-result')).toMatchObject([{ isError: false, output: 'Hello Ada' }]);
    },
  );

  itDrives(
    codex,
    'nobody about is done in mode bypass, also where Codex itself is afraid of it',
    [{ toolCalls: [bash('rm -rf "{{cwd}}/old"')] }, DONE],
    async ({ start, world }) => {
      mkdirSync(join(world.workingDirectory, 'old'));
      const turn = await converse(await start({ permissions: { mode: 'bypass' } }), 'go');
      expect([turn.reason, turn.of('permission')]).toEqual(['completed', []]);
      expect(existsSync(join(world.workingDirectory, 'old'))).toBe(false);
    },
  );
});

itDrives(
  codex,
  'messages of one turn of the real codex are kept apart, so that a status block begins a line',
  [
    { text: 'Writing the file now.', toolCalls: [WRITE] },
    { text: '---PRP_PHASE_STATUS---\nSTATUS: COMPLETE\n---END_PRP_PHASE_STATUS---', chunkChars: 8 },
  ],
  async ({ start }) => {
    const turn = await converse(await start(), 'go');
    expect(turn.text).toBe(
      'Writing the file now.\n\n---PRP_PHASE_STATUS---\nSTATUS: COMPLETE\n---END_PRP_PHASE_STATUS---',
    );
  },
);

itDrives(
  codex,
  'what the real codex refuses by itself is shown as denied',
  [{ toolCalls: [bash('curl http://127.0.0.1/')] }, DONE],
  async ({ start, world }) => {
    mkdirSync(world.dir.at('home/.codex/rules'));
    const rule = 'prefix_rule(pattern = ["curl"], decision = "forbidden")\n';
    writeFileSync(world.dir.at('home/.codex/rules/default.rules'), rule);
    const turn = await converse(await start({ permissions: { mode: 'edits' } }), 'go');
    expect(turn.of('tool-call')).toMatchObject([{ kind: 'execute', title: 'curl http://127.0.0.1/' }]);
    expect(turn.of('permission')).toMatchObject([
      { decision: 'denied', title: 'curl http://127.0.0.1/', by: expect.stringContaining('policy forbids') },
    ]);
    expect(turn.of('tool-result')).toMatchObject([{ isError: true }]);
  },
);

describe('what the real codex used', () => {
  const first: ModelTurn = { text: 'First.', usage: { input: 1_000, output: 10, cacheRead: 300 } };
  const ofFirst = { inputTokens: 1_000, outputTokens: 10, cacheReadTokens: 300 };
  const ofHanging = { inputTokens: 70, outputTokens: 7, cacheReadTokens: 5 };

  itDrives(
    codex,
    'is known of a turn that is cancelled in a command',
    [first, HANGS, DONE],
    async (stage) => {
      const connection = await stage.start();
      expect((await converse(connection, 'one')).usage).toMatchObject(ofFirst);
      const turn = await hanging(stage, connection);
      await connection.cancel();
      expect((await turn.end()).reason).toBe('cancelled');
      expect(turn.usage).toMatchObject(ofHanging);
      expect((await converse(connection, 'three')).usage).toMatchObject({ inputTokens: 90, outputTokens: 9 });
    },
  );

  itDrives(codex, 'is known of a turn that is killed in a command', [HANGS, DONE], async (stage) => {
    const connection = await stage.start();
    const turn = await hanging(stage, connection);
    process.kill(connection.pid ?? Number.NaN, 'SIGKILL');
    expect((await turn.end()).reason).toBe('died');
    expect(turn.usage).toMatchObject(ofHanging);
    const again = await stage.start(handleOf(connection));
    expect((await converse(again, 'on')).usage).toMatchObject({ inputTokens: 90, outputTokens: 9 });
  });

  itDrives(
    codex,
    'is known of a turn that comes to a limit after a reply',
    [
      { toolCalls: [WRITE], usage: { input: 40, output: 4 } },
      { text: 'x', fault: { type: 'usage_limit', times: 'always' } },
    ],
    async ({ start }) => {
      const turn = await converse(await start(), 'go');
      expect(turn.reason).toBe('rate-limited');
      expect(turn.usage).toMatchObject({ inputTokens: 40, outputTokens: 4 });
    },
  );
});

itDrives(
  codex,
  'a conversation that `codex exec` began goes on in the real app server, in the same thread',
  [{ text: 'Over exec.', usage: { input: 500, output: 5 } }, DONE],
  async ({ start, world, model }) => {
    const { command, environment } = prepare(codex, { home: world.dir.at('home'), baseUrl: model.url });
    const env = environment as NodeJS.ProcessEnv;
    const running = execute(command, ['exec', '--json', '--skip-git-repo-check', 'the first prompt'], {
      cwd: world.workingDirectory,
      env,
    });
    running.child.stdin?.end();
    const [line = ''] = (await running).stdout.split('\n');
    const { thread_id: id } = JSON.parse(line) as { thread_id: string };
    const again = await start({ resume: { driver: 'codex', id } });
    const turn = await converse(again, 'the last prompt');
    expect([turn.reason, turn.usage]).toMatchObject(['completed', { inputTokens: 90, outputTokens: 9 }]);
    expect(again.resumeHandle).toEqual({ driver: 'codex', id });
    expect(model.requests().at(-1)?.lacks(['the first prompt', 'Over exec.', 'the last prompt'])).toEqual([]);
  },
);

function makeRepository(directory: string): void {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: directory });
  git('init', '--quiet');
  git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--allow-empty', '-m', 'x');
}

function handleOf({ resumeHandle }: AgentConnection): Pick<StartOptions, 'resume'> {
  if (resumeHandle === null) throw new Error('it cannot be resumed');
  return { resume: resumeHandle };
}

/** One turn in mode `ask`, with what the person was asked. */
async function asking(start: Stage['start'], decide: () => Promise<boolean>) {
  const asked: PermissionRequest[] = [];
  const ask = (request: PermissionRequest) => {
    asked.push(request);
    return decide();
  };
  const turn = await converse(await start({ permissions: { mode: 'ask', ask } }), 'go');
  expect(turn.reason).toBe('completed');
  return { asked, turn };
}

/** A turn in the middle of a command. */
async function hanging({ world }: Stage, connection: AgentConnection): Promise<Following> {
  const turn = new Following(connection.prompt('two'));
  await turn.until('tool-call');
  await eventually(() => existsSync(join(world.workingDirectory, 'started')));
  return turn;
}

/** A server with one tool, of the user's own. */
const OWN_SERVER = `
import { createInterface } from 'node:readline';
const tool = { name: 'greet', description: 'Greets', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { name } }) => ({ content: [{ type: 'text', text: 'Hello ' + name }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = ANSWERS[method];
  const reply = answer ? { result: answer(params) } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\\n');
});
`;
