import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIST, type Machine, machine } from '../support/holdfast-binary.js';
import { verifies } from '../support/verifies.js';

const PROTOCOLS = ['claude', 'codex', 'acp', 'line'] as const;
type Protocol = (typeof PROTOCOLS)[number];

describe('holdfast agents', () => {
  it('probes our own agent, and everything works', async () => {
    await using pc = await machine();
    const { code, data } = await pc.json(['agents', 'probe', 'scripted']);
    const outcomes = data.steps.map(({ name, outcome }: Record<string, string>) => [name, outcome]);
    expect(outcomes).toEqual([
      ['start', 'works'],
      ['prompt', 'works'],
      ['cancel', 'works'],
      ['question', 'works'],
      ['resume after kill -9', 'works'],
    ]);
    expect(code).toBe(0);
    // It lived in a home of its own, which is gone.
    expect(readdirSync(pc.dir.at('tmp'))).toEqual([]);
    expect(readdirSync(pc.dir.path)).not.toContain('holdfast home');
  });
});

describe('holdfast exec', () => {
  for (const protocol of PROTOCOLS) {
    verifies('P12', `an agent behind the ${protocol} driver answers`, async () => {
      await using pc = await machine();
      setUp(pc, protocol, [{ say: 'I heard {{prompt}}' }]);
      const { code, stdout } = await pc.run(['exec', '--agent', 'mine', 'hello']);
      expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'I heard hello' });
    });
  }

  for (const protocol of PROTOCOLS.filter((name) => name !== 'line')) {
    verifies('R01', `messages of one turn behind the ${protocol} driver are kept apart`, async () => {
      await using pc = await machine();
      const block = '---PRP_PHASE_STATUS---\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---';
      const writes = { write: { path: 'made.txt', content: 'made\n' } };
      setUp(pc, protocol, [{ say: 'Writing the tests now.' }, writes, { say: block }]);
      const { code, stdout } = await pc.run(['exec', '--agent', 'mine', 'go']);
      expect({ code, stdout: stdout.trim() }).toEqual({
        code: 0,
        stdout: `Writing the tests now.\n\n${block}`,
      });
    });
  }

  verifies('R01', 'messages of one turn are kept apart in what is recorded and exported', async () => {
    await using pc = await machine();
    setUp(pc, 'acp', [{ say: 'One.' }, { write: { path: 'made.txt', content: 'made\n' } }, { say: 'Two.' }]);
    await pc.run(['chat', '--agent', 'mine', '--session', 'apart'], { input: 'go\n/history\n' });
    const { stdout } = await pc.run(['sessions', 'export', 'apart']);
    expect(stdout).toContain('> One.\n>\n> Two.');
  });

  verifies('P12', 'scripted is there without any configuration', async () => {
    await using pc = await machine();
    const { code, stdout } = await pc.run(['exec', '--agent', 'scripted', 'hello']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'You said: hello\n' });
  });

  for (const [what, steps, reason] of [
    ['death', [{ say: 'so far' }, { crash: true }], 'died'],
    ['garbage', [{ garbage: '\n{"type":\n\u0000\n' }, { say: 'done' }], 'completed'],
    ['a flood', [{ flood: { stream: 'stderr', bytes: 8_000_000 } }, { say: 'done' }], 'completed'],
    ['split lines', [{ pieces: 3 }, { say: 'done' }], 'completed'],
    ['a failure', [{ fail: 'no more room' }], 'failed'],
  ] as const) {
    for (const protocol of PROTOCOLS) {
      verifies('P05', `${what} behind the ${protocol} driver ends the turn as ${reason}`, async () => {
        await using pc = await machine();
        setUp(pc, protocol, steps);
        const { code, last } = await ending(pc, ['exec', '--agent', 'mine', 'go']);
        expect({ code, reason: last.reason }).toEqual({ code: reason === 'completed' ? 0 : 1, reason });
      });
    }
  }

  for (const protocol of PROTOCOLS) {
    verifies('P05', `a time limit cancels the turn behind the ${protocol} driver`, async () => {
      await using pc = await machine();
      setUp(pc, protocol, [{ say: 'I wait' }, { hang: true }]);
      const { code, stdout } = await pc.run(['exec', '--agent', 'mine', '--timeout', '1s', '--json', 'go']);
      const [end, error] = stdout
        .trim()
        .split('\n')
        .slice(-2)
        .map((line) => JSON.parse(line));
      expect(code).toBe(7);
      expect(end).toMatchObject({ type: 'turn-end', reason: 'cancelled' });
      expect(error).toMatchObject({ success: false, code: 'PROMPT_TIMED_OUT' });
    });

    verifies('P05', `Ctrl+C cancels the turn behind the ${protocol} driver`, async () => {
      await using pc = await machine();
      setUp(pc, protocol, [{ say: 'I wait' }, { hang: true }]);
      const running = pc.start(['exec', '--agent', 'mine', '--json', 'go']);
      await running.printed('stdout', /I wait/);
      running.child.kill('SIGINT');
      const { code, stdout } = await running.ended;
      expect(code).toBe(130);
      expect(lastEvent(stdout)).toMatchObject({ type: 'turn-end', reason: 'cancelled' });
    });
  }

  it('keeps what the agent wrote, without secrets, and says where when something went wrong', async () => {
    await using pc = await machine();
    setUp(pc, 'claude', [{ say: `the key is sk-ant-api03-${'x1'.repeat(20)}` }, { fail: 'no more room' }]);
    const { stderr } = await pc.run(['exec', '--agent', 'mine', 'go']);
    const [, path = ''] = /What the agent wrote: (.*)/.exec(stderr) ?? [];
    expect(path).toMatch(/\/processes\/ses_[0-9a-f-]{36}\/output-1\.log$/);
    const log = readFileSync(path, 'utf8');
    expect(log).toContain('the key is [redacted:anthropic-key]');
    expect(log).toContain('no more room');
  });
});

describe('an agent that waits for a person', () => {
  const wants = { permission: { tool: 'Bash', input: { command: 'rm x' }, kind: 'execute' } };
  const waits = async (pc: Machine, args: readonly string[]) => {
    const running = pc.start(['exec', '--agent', 'mine', ...args, 'go']);
    const [, id = ''] = await running.printed(
      'stderr',
      /Waiting for an answer to ([0-9a-f-]{36})\. Answer it in another terminal: holdfast answer/,
    );
    return { running, id };
  };

  for (const protocol of ['claude', 'acp'] as const) {
    it(`behind the ${protocol} driver says so, and shows what it needs a permission for`, async () => {
      await using pc = await machine();
      setUp(pc, protocol, [wants, { say: 'done' }]);
      const { running, id } = await waits(pc, ['--permissions', 'ask']);
      const { questions } = (await pc.asideJson(['questions', 'show', id])).data;
      expect(questions[0].prompt).toBe(
        'mine asks to use **Bash**:\n\n- command: `rm x`\n\nYour own words deny it and are passed on to the agent.',
      );
      await pc.aside(['answer', id, '--option', 'Allow once']);
      expect(await running.ended).toMatchObject({ code: 0, stdout: 'done\n' });
    });

    it(`behind the ${protocol} driver withdraws the permission when Ctrl+C ends the turn`, async () => {
      await using pc = await machine();
      setUp(pc, protocol, [wants, { say: 'done' }]);
      const { running, id } = await waits(pc, ['--permissions', 'ask']);
      running.child.kill('SIGINT');
      expect((await running.ended).code).toBe(130);
      expect((await pc.asideJson(['questions', 'show', id])).data).toMatchObject({ status: 'abandoned' });
      expect((await pc.asideJson(['questions'])).data).toEqual([]);
    });
  }

  it('withdraws the permission when the time is up', async () => {
    await using pc = await machine();
    setUp(pc, 'acp', [wants, { say: 'done' }]);
    const { running } = await waits(pc, ['--permissions', 'ask', '--timeout', '1s']);
    expect((await running.ended).code).toBe(7);
    expect((await pc.asideJson(['questions'])).data).toEqual([]);
  });

  it('says where its own question is, which stays when the turn ends', async () => {
    await using pc = await machine();
    const question = { title: 'Colour', prompt: 'Which?', options: [{ label: 'red' }, { label: 'blue' }] };
    setUp(pc, 'acp', [{ ask: { questions: [question] } }, { say: 'done' }]);
    const { running, id } = await waits(pc, []);
    running.child.kill('SIGINT');
    await running.ended;
    expect((await pc.asideJson(['questions'])).data).toMatchObject([{ sessionId: id, status: 'pending' }]);
  });
});

describe('an agent that cannot be had', () => {
  const nowhere = (pc: Machine) => ({ env: { PATH: pc.dir.at('nowhere') } });

  it('is not found, by exec as by run, when it is not installed', async () => {
    await using pc = await machine();
    writeFileSync(join(pc.project, 'plan.md'), '# Plan\n\n## Acceptance criteria\n\n- [ ] it works\n');
    const exec = await pc.json(['exec', '--agent', 'claude', 'go'], nowhere(pc));
    const run = await pc.json(['run', 'plan.md', '--agent', 'claude', '--verify', 'true'], nowhere(pc));
    expect(exec).toMatchObject({ code: 4, data: { code: 'PROGRAM_NOT_STARTED' } });
    expect(run).toEqual(exec);
  });

  it('is found on the PATH that it is given', async () => {
    await using pc = await machine();
    setUp(pc, 'acp', [{ say: 'done' }]);
    const path = join(pc.env.HOLDFAST_HOME ?? '', 'config', 'config.json');
    const config = JSON.parse(readFileSync(path, 'utf8'));
    config.agents.mine.command = 'node';
    config.agents.mine.environment.PATH = dirname(process.execPath);
    pc.configure(config);
    expect(await pc.run(['exec', '--agent', 'mine', 'go'], nowhere(pc))).toMatchObject({ code: 0 });
  });

  it('is described by a file, when there is no agent that could be it', async () => {
    await using pc = await machine();
    mkdirSync(join(pc.project, '.claude', 'agents'), { recursive: true });
    writeFileSync(join(pc.project, '.claude', 'agents', 'qa2.md'), 'You test.\n');
    const { code, data } = await pc.json(['exec', '--agent', 'qa2', 'go'], nowhere(pc));
    expect({ code, data }).toMatchObject({
      code: 4,
      data: { code: 'NO_AGENT', hint: expect.stringContaining('Install one') },
    });
    expect((await pc.json(['exec', '--agent', 'qa3', 'go'], nowhere(pc))).data.code).toBe('AGENT_UNKNOWN');
  });

  it('is called by its name when it does not start', async () => {
    await using pc = await machine();
    const { code, stderr } = await pc.run(['exec', '--agent', 'scripted', '--model', 'foo', 'go']);
    expect(code).toBe(1);
    expect(stderr).toContain('The agent scripted did not start');
    expect(stderr).toContain('holdfast agents probe scripted');
  });
});

describe('an agent without a protocol', () => {
  it('is talked to as config.json says', async () => {
    await using pc = await machine();
    const script =
      'echo ready?; while read -r line; do echo "got $line"; [ "$line" = "." ] && echo "== over =="; done';
    pc.configure({
      agents: {
        mine: {
          driver: 'line',
          command: 'sh',
          args: ['-c', script],
          line: {
            endMarkers: ['== over =='],
            failureMarkers: ['!!'],
            promptTerminator: '.',
            showsMarkerWhenReady: false,
          },
        },
      },
    });
    const { code, stdout } = await pc.run(['exec', '--agent', 'mine', 'one\ntwo']);
    expect(code).toBe(0);
    expect(stdout).toContain('got one\ngot two\n');
    expect(stdout).not.toContain('over');
  });

  it('that shows a failure marker has failed, with the rest of the line', async () => {
    await using pc = await machine();
    const line = { endMarkers: ['ok'], failureMarkers: ['!!'] };
    pc.configure({
      agents: {
        mine: { driver: 'line', command: 'sh', args: ['-c', 'read -r line; echo "no $line !!"; cat'], line },
      },
    });
    const { code, last } = await ending(pc, ['exec', '--agent', 'mine', 'idea']);
    expect({ code, last }).toEqual({
      code: 1,
      last: { type: 'turn-end', reason: 'failed', message: 'no idea' },
    });
  });

  it.each([
    [{ driver: 'claude', line: {} }, 'agents.mine.line: is for the driver line only'],
    [{ driver: 'line', line: { endMarker: '>' } }, 'agents.mine.line: unknown key "endMarker"'],
    [{ driver: 'line', line: { endMarkers: ['a\nb'] } }, 'agents.mine.line.endMarkers[0]: must be one line'],
    [{ driver: 'line', line: { context: { pattern: '(', windowTokens: 9 } } }, 'is no regular expression'],
    [{ driver: 'line', line: { context: { pattern: 'x', windowTokens: 9 } } }, 'must hold a group'],
  ])('is refused when it is set up as %j', async (settings, message) => {
    await using pc = await machine();
    pc.configure({ agents: { mine: { command: 'sh', ...settings } } });
    const { code, stderr } = await pc.run(['exec', '--agent', 'mine', 'go']);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

/** The agent `mine`: our scripted program, which speaks this protocol and plays these steps. */
function setUp(pc: Machine, protocol: Protocol, steps: readonly object[]): void {
  const script = pc.dir.at('script.json');
  writeFileSync(script, JSON.stringify({ turns: [{ steps }] }));
  pc.configure({
    agents: {
      mine: {
        driver: protocol,
        command: process.execPath,
        args: [join(DIST, 'agents', 'scripted.cjs')],
        environment: { HOLDFAST_SCRIPTED_PROTOCOL: protocol, HOLDFAST_SCRIPTED_SCRIPT: script },
        ...(protocol === 'line' ? { line: { failureMarkers: ['[FAILED]'] } } : {}),
      },
    },
  });
}

async function ending(pc: Machine, args: readonly string[]) {
  const { code, stdout } = await pc.run([...args, '--json']);
  return { code, last: lastEvent(stdout) };
}

function lastEvent(stdout: string): { readonly reason: string } {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
}
