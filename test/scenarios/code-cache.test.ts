import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIST, machine } from '../support/holdfast-binary.js';

const EMPTY = { code: 0, signal: null, stdout: 'Nothing is waiting for an answer.\n', stderr: '' };

describe('the code cache of the program', () => {
  it('changes nothing about what a command does, with and without it', async () => {
    await using pc = await machine();
    const cache = pc.dir.at('code');
    const env = { HOLDFAST_CODE_CACHE: cache };
    expect(await pc.run(['questions', 'list'], { env: { HOLDFAST_CODE_CACHE: 'off' } })).toEqual(EMPTY);
    expect(await pc.run(['questions', 'list'], { env })).toEqual(EMPTY);
    const [name = ''] = readdirSync(cache);
    const { ino } = statSync(join(cache, name));
    expect(await pc.run(['questions', 'list'], { env })).toEqual(EMPTY);
    expect(statSync(join(cache, name)).ino).toBe(ino);
  });

  it('replaces data that V8 refuses', async () => {
    await using pc = await machine();
    const cache = pc.dir.at('code');
    const env = { HOLDFAST_CODE_CACHE: cache };
    await pc.run(['questions', 'list'], { env });
    const path = join(cache, readdirSync(cache)[0] ?? '');
    const whole = readFileSync(path);
    // Both copies alike, so that only V8 can see it: its first bytes say whose data it is.
    const start = whole.indexOf(0x0a) + 1;
    const refused = Buffer.from(whole);
    refused.writeUInt32LE(0, start);
    refused.writeUInt32LE(0, start + (whole.length - start) / 2);
    writeFileSync(path, refused);
    expect(await pc.run(['questions', 'list'], { env })).toEqual(EMPTY);
    expect(readFileSync(path).subarray(start, start + 4)).toEqual(whole.subarray(start, start + 4));
  });

  /** A command of each file that is loaded with its cached code. */
  const ONE_OF_EACH_FILE = [
    ['quick', ['questions', 'list']],
    ['change', ['change', '--help']],
    ['lists', ['paths', '--quiet']],
  ] as const;

  /** What may stand where our data stood. */
  const DAMAGE: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    truncated: (bytes) => bytes.subarray(0, bytes.length - 100),
    flipped: (bytes) => {
      const at = Math.floor(bytes.length / 3);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x40, at);
      return bytes;
    },
    planted: (bytes) => Buffer.concat([Buffer.from('planted '), bytes]),
    'of another Node': (bytes) => {
      const text = bytes.toString('latin1');
      return Buffer.from(text.replace(`"${process.version}"`, '"v20.00.0"'), 'latin1');
    },
  };

  it.each(ONE_OF_EACH_FILE)(
    'takes nothing that is not ours and whole in place of the code of %s.cjs',
    async (file, args) => {
      await using pc = await machine();
      const cache = pc.dir.at('code');
      const env = { HOLDFAST_CODE_CACHE: cache };
      const expected = await pc.run(args, { env: { HOLDFAST_CODE_CACHE: 'off' } });
      expect(expected).toMatchObject({ code: 0, stderr: '' });
      expect(await pc.run(args, { env })).toEqual(expected);
      const [name = '', ...others] = readdirSync(cache);
      expect([name.startsWith(`${file}-`), others]).toEqual([true, []]);
      const path = join(cache, name);
      const headerOf = (bytes: Buffer) => bytes.toString('latin1', 0, bytes.indexOf(0x0a)).split(' ')[1];
      const header = headerOf(readFileSync(path));
      for (const [what, damage] of Object.entries(DAMAGE)) {
        const damaged = damage(readFileSync(path));
        writeFileSync(path, damaged);
        expect([what, await pc.run(args, { env })]).toEqual([what, expected]);
        const mended = readFileSync(path);
        expect([what, mended.equals(damaged), headerOf(mended)]).toEqual([what, false, header]);
        expect([what, await pc.run(args, { env })]).toEqual([what, expected]);
      }
    },
  );

  it('is written by starts at the same time without harm', async () => {
    await using pc = await machine();
    const cache = pc.dir.at('code');
    mkdirSync(cache, { mode: 0o700 });
    const env = { HOLDFAST_CODE_CACHE: cache };
    const starts = Array.from({ length: 4 }, () => pc.run(['questions', 'list'], { env }));
    expect(await Promise.all(starts)).toEqual([EMPTY, EMPTY, EMPTY, EMPTY]);
    expect(readdirSync(cache)).toHaveLength(1);
    expect(await pc.run(['questions', 'list'], { env })).toEqual(EMPTY);
  });

  it('is not needed: without a home a command runs as ever', async () => {
    await using pc = await machine();
    const env = { HOLDFAST_CODE_CACHE: undefined, HOME: undefined, XDG_CACHE_HOME: undefined };
    expect(await pc.run(['questions', 'list'], { env })).toEqual(EMPTY);
  });
});

it('what is loaded with cached code is ASCII: a character is a byte', () => {
  const directory = join(DIST, 'cli');
  const files = readdirSync(directory).filter((name) => name.endsWith('.cjs'));
  expect(files).toContain('work.cjs');
  const other = files.filter((name) => readFileSync(join(directory, name)).some((byte) => byte > 0x7f));
  expect(other).toEqual([]);
});
