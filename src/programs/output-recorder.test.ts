import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { OutputLog } from './output-log.js';
import { OutputRecorder } from './output-recorder.js';

const KEY = `sk-ant-api03-${'x1'.repeat(20)}`;
const MIB = 1024 * 1024;

it('keeps every line whole and without secrets, however the stream is cut', async () => {
  await using dir = await tempDir({ isInMemory: true });
  const whole = Buffer.from(`first ${KEY} and more\n\n\nünd ${KEY}\nthe last line`);
  let run = 0;
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length), { maxLength: 20 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((end, at) => whole.subarray(places[at], end));
      expect(record(dir.at(`log-${run++}`), chunks)).toBe(
        'first [redacted:anthropic-key] and more\n\n\nünd [redacted:anthropic-key]\nthe last line\n',
      );
    }),
  );
});

it('finds what is in colours and on several lines, however the stream is cut', async () => {
  await using dir = await tempDir({ isInMemory: true });
  const block = `-----BEGIN RSA PRIVATE KEY-----\n${'aB3d'.repeat(16)}\n-----END RSA PRIVATE KEY-----`;
  const whole = Buffer.from(
    `a\n${KEY.slice(0, 9)}\x1b[01;31m\x1b[K${KEY.slice(9)}\x1b[m\n${block}\nmore\nPGPASSWORD=tiger x\nend\n`,
  );
  for (let cut = 0; cut <= whole.length; cut++)
    expect(record(dir.at(`log-${cut}`), [whole.subarray(0, cut), whole.subarray(cut)])).toBe(
      'a\n[redacted:anthropic-key]\x1b[01;31m\x1b[K\x1b[m\n[redacted:private-key]\nmore\nPGPASSWORD=[redacted:value] x\nend\n',
    );
});

it('keeps the beginning of a private key that never ends', async () => {
  await using dir = await tempDir({ isInMemory: true });
  const chunks = ['a\n-----BEGIN RSA PRIVATE KEY-----\n', 'b\n', `${'c\n'.repeat(11_000)}`];
  expect(
    record(
      dir.at('log'),
      chunks.slice(0, 2).map((chunk) => Buffer.from(chunk)),
    ),
  ).toBe(chunks.slice(0, 2).join(''));
  expect(
    record(
      dir.at('long'),
      chunks.map((chunk) => Buffer.from(chunk)),
    ),
  ).toBe(chunks.join(''));
});

it.each([
  ['ends', ['\nnext\n'], 'next\n'],
  ['ends with the stream', [], ''],
  ['is followed by the beginning of another', ['\nnext'], 'next\n'],
])('reports the length of a line that is too long and %s', async (_how, rest, expected) => {
  await using dir = await tempDir({ isInMemory: true });
  const chunks = ['before\n', ...Array.from({ length: 40 }, () => 'y'.repeat(64 * 1024)), ...rest];
  const logged = record(
    dir.at('log'),
    chunks.map((chunk) => Buffer.from(chunk)),
  );
  expect(logged).toBe(`before\n[a line of ${2.5 * MIB} bytes]\n${expected}`);
});

it('does not mix the lines of the two streams', async () => {
  await using dir = await tempDir({ isInMemory: true });
  const recorder = new OutputRecorder(new OutputLog(nodeFileSystem, dir.at('log')), () => {});
  recorder.push('stdout', Buffer.from('one '));
  recorder.push('stderr', Buffer.from('problem\n'));
  recorder.push('stdout', Buffer.from('two\n'));
  recorder.end();
  expect(readFileSync(dir.at('log'), 'utf8')).toBe('problem\none two\n');
});

function record(path: string, chunks: readonly Buffer[]): string {
  const recorder = new OutputRecorder(new OutputLog(nodeFileSystem, path), (error) => {
    throw error;
  });
  for (const chunk of chunks) recorder.push('stderr', chunk);
  recorder.end();
  return readFileSync(path, 'utf8');
}
