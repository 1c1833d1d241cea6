import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Machine } from '../support/holdfast-binary.js';
import { withPlayer } from '../support/player.js';
import { until } from '../support/processes.js';
import { verifies } from '../support/verifies.js';

/** The ids of living processes that carry a word in their environment. */
function living(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(word) &&
          !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        );
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}

function promptsOf(world: Machine): { prompt: string; history: { text: string }[] }[] {
  const lines = readFileSync(world.dir.at('notes.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

describe('a session with an agent', () => {
  verifies('P10', 'is gone on with from the command line, in the same conversation', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }, { steps: [{ say: 'two' }] }]);
    const first = await world.run(['exec', '--agent', 'player', 'the first prompt']);
    expect(first).toMatchObject({ code: 0, stdout: 'one\n' });
    const [, id = ''] = /holdfast exec --session (ses_\S+)/.exec(first.stderr) ?? [];
    expect((await world.json(['processes'])).data).toMatchObject([
      { id, standing: 'resumable', promptCount: 1 },
    ]);
    const second = await world.run(['exec', '--session', id.slice(0, 10), 'the second prompt']);
    expect(second).toMatchObject({ code: 0, stdout: 'two\n' });
    expect(
      promptsOf(world)
        .at(-1)
        ?.history.map(({ text }) => text),
    ).toEqual(['the first prompt', 'one']);
    const refused = await world.run(['exec', '--session', id, '--permissions', 'bypass', 'x']);
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('permissions: "edits", now "bypass"'),
    });
  });

  verifies(
    'P10',
    'whose supervisor was killed in a prompt is interrupted, leaves no orphan, and goes on',
    async () => {
      await using world = await withPlayer([
        { steps: [{ say: 'half' }, { grandchild: 'exec sleep 1000' }, { hang: true }] },
        { steps: [{ say: 'whole' }] },
      ]);
      const exec = world.start(['exec', '--agent', 'player', 'the first prompt']);
      await exec.printed('stdout', /half/);
      await until(() => living(world.dir.at('state')).length > 1);
      exec.child.kill('SIGKILL');
      await exec.ended;
      const [info] = (await world.json(['processes'])).data;
      expect(info).toMatchObject({ standing: 'interrupted', state: 'executing', openPrompt: { number: 1 } });
      const shown = await world.run(['processes', 'show', info.id]);
      expect(shown.stdout).toContain('has no recorded answer');
      const again = await world.run(['exec', '--session', info.id, 'the second prompt']);
      expect(again).toMatchObject({ code: 0, stdout: 'whole\n' });
      expect(again.stderr).toContain('Prompt 1 of this session was interrupted; it is not sent again.');
      expect(living(world.dir.at('state'))).toEqual([]);
      const last = promptsOf(world).at(-1);
      expect(last?.prompt).toBe('the second prompt');
      expect(last?.history.map(({ text }) => text)).toContain('the first prompt');
    },
  );

  it('is stopped from another terminal', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { hang: true }] }]);
    const exec = world.start(['exec', '--agent', 'player', 'go']);
    await exec.printed('stdout', /half/);
    const [info] = (await world.json(['processes'])).data;
    expect(info).toMatchObject({ standing: 'live', state: 'executing' });
    const stopped = await world.run(['processes', 'stop', info.id]);
    expect(stopped).toMatchObject({ code: 0, stdout: `${info.id} is ended: stopped from outside\n` });
    expect((await exec.ended).code).toBe(1);
    expect(living(world.dir.at('state'))).toEqual([]);
    expect((await world.run(['processes'])).stdout).toBe('No agent is running and none can be resumed.\n');
    expect((await world.json(['processes', '--all'])).data).toMatchObject([{ state: 'ended' }]);
  });

  it('is ended by Ctrl+C within the grace, and can be gone on with', async () => {
    await using world = await withPlayer([
      { steps: [{ say: 'half' }, { hang: true }] },
      { steps: [{ say: 'two' }] },
    ]);
    const exec = world.start(['exec', '--agent', 'player', 'go']);
    await exec.printed('stdout', /half/);
    exec.child.kill('SIGINT');
    expect((await exec.ended).code).toBe(130);
    expect(living(world.dir.at('state'))).toEqual([]);
    const [info] = (await world.json(['processes'])).data;
    expect(info).toMatchObject({ standing: 'resumable', openPrompt: null });
    expect((await world.run(['exec', '--session', info.id, 'more'])).stdout).toBe('two\n');
  });

  verifies('P05', 'that takes too long is cancelled and told with its own code', async () => {
    await using world = await withPlayer([{ steps: [{ hang: true }] }]);
    const late = await world.run(['exec', '--agent', 'player', '--timeout', '1s', 'go']);
    expect(late).toMatchObject({ code: 7, stderr: expect.stringContaining('took longer than 1 s') });
  });

  it.each(['--timeout', '--idle'])('that %s ends says how to go on, and where its log is', async (limit) => {
    await using world = await withPlayer([
      { steps: [{ say: 'half' }, { hang: true }] },
      { steps: [{ say: 'two' }] },
    ]);
    const late = await world.run(['exec', '--agent', 'player', limit, '1s', 'go']);
    expect(late).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/What the agent wrote: .*\/output-1\.log\n/),
    });
    const [, id = ''] = /holdfast exec --session (ses_\S+)/.exec(late.stderr) ?? [];
    expect((await world.run(['exec', '--session', id, 'more'])).stdout).toBe('two\n');
  });

  it('tells of one file and of one prompt as of one', async () => {
    await using world = await withPlayer([{ steps: [{ write: { path: 'made.txt', content: 'hello' } }] }]);
    expect((await world.run(['exec', '--agent', 'player', 'go'])).stderr).toContain('1 file changed');
    const [info] = (await world.json(['processes'])).data;
    expect((await world.run(['processes', 'show', info.id])).stdout).toContain(' 1 prompt,');
  });

  it('that died does not say how to go on, because it cannot', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { crash: true }] }]);
    const dead = await world.run(['exec', '--agent', 'player', 'go']);
    expect(dead).toMatchObject({ code: 1, stderr: expect.not.stringContaining('--session') });
  });

  it('writes no value of the environment to disk', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }]);
    await world.run(['exec', '--agent', 'player', 'go']);
    const [info] = (await world.json(['processes'])).data;
    expect(info.launch.env).toContain('SECRET_VALUE');
    const paths = (await world.json(['paths'])).data;
    const record = readFileSync(
      join(paths.layout?.processes ?? paths.processes, info.id, 'session.json'),
      'utf8',
    );
    expect(record).not.toContain('do-not-write-me');
  });
});
