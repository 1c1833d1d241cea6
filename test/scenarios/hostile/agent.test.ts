import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Machine, machine } from '../../support/holdfast-binary.js';
import { processFacts, until } from '../../support/processes.js';

/** What an agent that means ill, or is broken, does to whoever runs it. Each table is open for more rows. */

/** Raw JSON, because some of it cannot be written otherwise. */
const NUMBERS: readonly [what: string, usage: string, update: string][] = [
  [
    'fractional',
    '{"inputTokens":5.5,"outputTokens":5.25}',
    '{"used":0.5,"size":1.5,"cost":{"amount":0.001,"currency":"USD"}}',
  ],
  [
    'negative',
    '{"inputTokens":-5,"outputTokens":-1e300}',
    '{"used":-1,"size":-1,"cost":{"amount":-1000,"currency":"USD"}}',
  ],
  [
    'huge',
    '{"inputTokens":1e300,"outputTokens":9007199254740993}',
    '{"used":1e300,"size":1e999,"cost":{"amount":1e300,"currency":"USD"}}',
  ],
  [
    'of another kind',
    '{"inputTokens":null,"outputTokens":"12"}',
    '{"used":"12","size":[],"cost":{"amount":null,"currency":"USD"}}',
  ],
];

describe.concurrent('an agent whose numbers are odd', () => {
  it('keeps its answers in chat, and it is told once that they were left out', async () => {
    await using pc = await machine();
    hire(pc, { numbers: NUMBERS });
    const prompts = NUMBERS.map(([what]) => `${what}\n`).join('');
    const first = await pc.run(['chat', '--agent', 'hostile', '--session', 'mine'], { input: prompts });
    expect(first.code).toBe(0);
    expect((first.stdout + first.stderr).match(/reported impossible numbers/g)).toHaveLength(1);
    expect((await pc.run(['chat', '--resume', 'mine'], { input: 'and again\n' })).code).toBe(0);
    const log = readFileSync(join(pc.env.HOME ?? '', '.aurora', 'spawn', 'sessions', 'mine.jsonl'), 'utf8');
    expect(log.match(/"role":\s*"assistant"/g)).toHaveLength(NUMBERS.length + 1);
    expect(log).not.toContain('turn_failed');
    expect((await pc.run(['sessions', 'verify', 'mine', '--kind', 'conversation'])).code).toBe(0);
  });

  it('neither ends a run nor makes it unreadable, and its cost does not sink', async () => {
    await using pc = await machine();
    hire(pc, { numbers: NUMBERS });
    mkdirSync(join(pc.project, 'docs'));
    writeFileSync(join(pc.project, 'docs', 'x.md'), PLAN);
    const words = ['run', 'docs/x.md', '--agent', 'hostile', '--verify', 'true', '--plain'];
    const run = await pc.run([...words, '--max-cost', '5', '--max-iterations', '2']);
    expect([run.code, run.stderr]).toEqual([7, expect.not.stringContaining('damaged')]);
    const { data: report } = await pc.asideJson(['report']);
    expect(report.usage.costUsd).toBe(0.001);
    expect((await pc.run(['status'])).stdout).not.toMatch(/cannot be read|damaged/);
    // It went on: no progress in three iterations is why it stops now.
    expect((await pc.run([...words, '--resume', '--max-iterations', '3'])).code).toBe(6);
    expect((await pc.asideJson(['report'])).data.usage.costUsd).toBeGreaterThanOrEqual(0.001);
  });
});

/** What it wants to do in mode `edits` with nobody attending, and must not. */
const DENIED: readonly [what: string, toolCall: object, sessionId?: string][] = [
  ['a file outside of the project', { kind: 'edit', locations: [{ path: '/etc/passwd' }] }],
  ['a file outside by way of ..', { kind: 'edit', locations: [{ path: 'a/../../x' }] }],
  ['a file outside by way of a link', { kind: 'edit', locations: [{ path: 'out/x' }] }],
  ['a file of the repository', { kind: 'edit', locations: [{ path: '.git/config' }] }],
  ['a file of a nested repository', { kind: 'edit', locations: [{ path: 'sub/.git/hooks/x' }] }],
  ['the settings of Claude Code', { kind: 'edit', locations: [{ path: '.claude/settings.json' }] }],
  ['the settings of Gemini CLI', { kind: 'edit', locations: [{ path: '.gemini/settings.json' }] }],
  ['the settings of Codex', { kind: 'edit', locations: [{ path: '.codex/config.toml' }] }],
  ['the servers of MCP', { kind: 'edit', locations: [{ path: '.mcp.json' }] }],
  ['files of Holdfast', { kind: 'edit', locations: [{ path: '.holdfast/x' }] }],
  ['one good and one bad place', { kind: 'edit', locations: [{ path: 'a.txt' }, { path: '/etc/x' }] }],
  ['no place', { kind: 'edit', locations: [] }],
  ['an edit that is a command', { kind: 'edit', locations: [{ path: 'a' }], rawInput: { command: 'x' } }],
  ['to delete', { kind: 'delete', locations: [{ path: 'a.txt' }] }],
  ['to move', { kind: 'move', locations: [{ path: 'a.txt' }] }],
  ['to read elsewhere', { kind: 'read', locations: [{ path: '/etc/shadow' }] }],
  ['to edit for another session', { kind: 'edit', locations: [{ path: 'a.txt' }] }, 'somebody-elses'],
];

it('an agent that asks for what edits do not allow is denied, each time', async () => {
  await using pc = await machine();
  symlinkSync('/tmp', join(pc.project, 'out'));
  const asks = DENIED.map(([title, toolCall, sessionId]) => ({ title, toolCall, sessionId }));
  const allowed = {
    title: 'a file of the project',
    toolCall: { kind: 'edit', locations: [{ path: 'a.txt' }] },
  };
  hire(pc, { asks: [...asks, allowed] });
  const { code } = await pc.run(['exec', '--agent', 'hostile', 'go']);
  expect(code).toBe(0);
  const answers = JSON.parse(readFileSync(pc.dir.at('answers.json'), 'utf8')) as Record<string, string>;
  const { [allowed.title]: good, ...rest } = answers;
  expect(good).toBe('yes');
  expect(rest).toEqual(Object.fromEntries(DENIED.map(([title]) => [title, 'no'])));
});

/** Text that must not reach a terminal as it is. */
const TEXTS: readonly string[] = [
  '\u001b]0;owned\u0007',
  '\u001b[2J\u001b[1;1H',
  '\u009b31m',
  '\u202egpj.exe',
  'a\rholdfast: all is well',
  '\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007',
];

it('an agent whose text and names attack the terminal writes no control character to it', async () => {
  await using pc = await machine();
  hire(pc, { say: TEXTS.join('\n'), title: TEXTS.join(' ') });
  for (const words of [
    ['exec', '--agent', 'hostile', 'go'],
    ['chat', '--agent', 'hostile'],
  ]) {
    const { code, stdout, stderr } = await pc.run(words, { input: 'go\n' });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  }
});

/** Ways to leave a process behind; each writes its pid to `pid`. */
const DAEMONS: readonly [what: string, command: string][] = [
  [
    'wiped its environment',
    `setsid env -i /bin/sh -c 'echo $$ > pid; exec sleep 987' < /dev/null > /dev/null 2>&1 &`,
  ],
  [
    'forked twice and wiped its environment',
    `(setsid env -i /bin/sh -c 'sleep 987 & echo $! > pid') < /dev/null > /dev/null 2>&1`,
  ],
  [
    'kept its environment and ignores SIGTERM',
    `setsid sh -c 'trap "" TERM; echo $$ > pid; sleep 987; sleep 987' < /dev/null > /dev/null 2>&1 &`,
  ],
];

describe('a daemon of an agent that', () => {
  it.each(DAEMONS)('%s is ended, or told', async (_what, command) => {
    await using pc = await machine();
    hire(pc, { command });
    const { code, stderr } = await pc.run(['exec', '--agent', 'hostile', 'go']);
    expect(code).toBe(0);
    const pid = Number(readFileSync(join(pc.project, 'pid'), 'utf8'));
    const isThere = () => !['Z', 'X', undefined].includes(processFacts(pid)?.state);
    const told = /may have left processes behind: (.*)/.exec(stderr)?.[1] ?? '';
    if (!told.includes(`${pid} `)) {
      await until(() => !isThere());
      return;
    }
    process.kill(pid, 'SIGKILL');
    const [id = ''] = readdirSync(join(pc.env.HOLDFAST_HOME ?? '', 'processes')).filter((name) =>
      name.startsWith('ses_'),
    );
    expect((await pc.run(['processes', 'show', id])).stdout).toContain(
      `may have left processes behind: ${pid} `,
    );
  });
});

interface Deeds {
  /** For one turn after the other. */
  readonly numbers?: typeof NUMBERS;
  readonly say?: string;
  readonly title?: string;
  readonly command?: string;
  readonly asks?: readonly object[];
}

/** Makes the agent `hostile`, which does these things in every turn. */
function hire(pc: Machine, deeds: Deeds): void {
  const program = pc.dir.at('hostile.mjs');
  const answers = pc.dir.at('answers.json');
  writeFileSync(
    program,
    `const DEEDS = ${JSON.stringify(deeds)};\nconst ANSWERS = ${JSON.stringify(answers)};\n${AGENT}`,
  );
  pc.configure({ agents: { hostile: { driver: 'acp', command: process.execPath, args: [program] } } });
  expect(existsSync(program)).toBe(true);
}

const PLAN = `# X

## Goal

Something.

## Validation

- it works
`;

const AGENT = `
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const raw = (line) => process.stdout.write(line + '\\n');
const send = (message) => raw(JSON.stringify({ jsonrpc: '2.0', ...message }));
const update = (fields) => send({ method: 'session/update', params: { sessionId: 'h', update: fields } });
const waiting = new Map();
let lastId = 1000;
let turns = 0;
const ask = (params) => new Promise((resolve) => {
  waiting.set(++lastId, resolve);
  send({ id: lastId, method: 'session/request_permission', params });
});
const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }];
const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({ sessionId: 'h' }),
  'session/load': () => ({}),
};
async function turn(id) {
  const [, usage = 'null', updated] = DEEDS.numbers?.[turns++ % DEEDS.numbers.length] ?? [];
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: DEEDS.say ?? 'An answer.' } });
  if (DEEDS.title) update({ sessionUpdate: 'tool_call', toolCallId: 't', title: DEEDS.title, kind: 'read', status: 'completed' });
  // What it leaves in the background is there, and has said who it is, before the turn is over.
  if (DEEDS.command) spawnSync('sh', ['-c', DEEDS.command + '\\nuntil [ -s pid ]; do sleep 0.01; done'], { stdio: 'ignore' });
  const answers = {};
  for (const { title, toolCall, sessionId } of DEEDS.asks ?? []) {
    const { result } = await ask({ sessionId: sessionId ?? 'h', toolCall: { toolCallId: title, title, ...toolCall }, options });
    answers[title] = result?.outcome?.optionId ?? 'no';
  }
  if (DEEDS.asks) writeFileSync(ANSWERS, JSON.stringify(answers));
  if (updated) raw('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"h","update":{"sessionUpdate":"usage_update",' + updated.slice(1) + '}}');
  raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"stopReason":"end_turn","usage":' + usage + '}}');
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === 'session/prompt') void turn(message.id);
  else if (message.method === undefined) waiting.get(message.id)?.(message);
  else if (message.id !== undefined) {
    const answer = methods[message.method];
    send(answer ? { id: message.id, result: answer() } : { id: message.id, error: { code: -32601, message: 'unknown' } });
  }
});
`;
