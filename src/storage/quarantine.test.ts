import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../test/support/failing-file-system.js';
import { FakeClock } from '../../test/support/fake-clock.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { keepDamagedBytes, setAside } from './quarantine.js';

const clock = new FakeClock({ now: '2026-03-01T12:34:56.789Z' });
const tools = storageTools({ clock });

describe('setAside', () => {
  it('moves a file to a name with the time, and keeps its bytes', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('answers.json'), 'torn');
    expect(setAside(tools, dir.at('answers.json'))).toBe(dir.at('answers.json.damaged-20260301T123456789Z'));
    expect(readdirSync(dir.path)).toEqual(['answers.json.damaged-20260301T123456789Z']);
    expect(readFileSync(dir.at('answers.json.damaged-20260301T123456789Z'), 'utf8')).toBe('torn');
  });

  it('never overwrites what was set aside before', async () => {
    await using dir = await tempDir();
    const kept = ['one', 'two', 'three'].map((text) => {
      writeFileSync(dir.at('a'), text);
      return setAside(tools, dir.at('a'));
    });
    expect(kept.map((path) => path.slice(dir.at('a.damaged-20260301T123456789Z').length))).toEqual([
      '',
      '-1',
      '-2',
    ]);
    expect(kept.map((path) => readFileSync(path, 'utf8'))).toEqual(['one', 'two', 'three']);
  });

  it('makes the move durable', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a'), 'torn');
    const fileSystem = new FailingFileSystem();
    setAside({ ...tools, fileSystem }, dir.at('a'));
    expect(fileSystem.calls.map((call) => call.name)).toEqual(['link', 'unlink', 'open', 'sync', 'close']);
  });

  it('sets a link itself aside, not what it leads to', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('victim'), 'victim');
    symlinkSync(dir.at('victim'), dir.at('a'));
    setAside(tools, dir.at('a'));
    expect(existsSync(dir.at('victim'))).toBe(true);
    expect(existsSync(dir.at('a'))).toBe(false);
  });

  it('reports what cannot be set aside', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('directory'));
    expect(() => setAside(tools, dir.at('gone'))).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED', step: 'set aside', fault: 'gone' }),
    );
    expect(() => setAside(tools, dir.at('directory'))).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED' }),
    );
  });
});

describe('keepDamagedBytes', () => {
  it('keeps a stretch of bytes in a private file named after time and place', async () => {
    await using dir = await tempDir();
    const bytes = Buffer.from([0, 1, 2, 0xff]);
    const kept = keepDamagedBytes(tools, dir.at('log.jsonl'), 4_711, bytes);
    expect(kept).toBe(dir.at('log.jsonl.damaged-20260301T123456789Z-at-4711'));
    expect(readFileSync(kept)).toEqual(bytes);
    expect(statSync(kept).mode & 0o7777).toBe(0o600);
  });

  it('never overwrites what was kept before', async () => {
    await using dir = await tempDir();
    const kept = [1, 2].map((byte) => keepDamagedBytes(tools, dir.at('log'), 5, Buffer.from([byte])));
    expect(new Set(kept).size).toBe(2);
    expect(kept.map((path) => readFileSync(path)[0])).toEqual([1, 2]);
  });
});
