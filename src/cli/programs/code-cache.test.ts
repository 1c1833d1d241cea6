import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type TempDir, tempDir } from '../../../test/support/temp-dir.js';
import { loadCached } from './code-cache.js';

interface World extends AsyncDisposable {
  readonly file: string;
  readonly cache: string;
  /** Loads the file, calls it, saves its code and returns what was done. */
  start(options?: { command?: string; digest?: string; environment?: Record<string, string> }): {
    said: string;
    isCached: boolean;
  };
  /** The only entry. */
  entry(): string;
}

const SOURCE =
  '(function (exports, require, module) {exports.say = (word) => "first " + word; exports.other = () => "other";})';

async function world(): Promise<World> {
  const dir: TempDir = await tempDir();
  const file = join(dir.path, 'quick.cjs');
  const cache = join(dir.path, 'cache');
  writeFileSync(file, SOURCE);
  return {
    file,
    cache,
    start({ command = 'list', digest = 'as built', environment = { HOLDFAST_CODE_CACHE: cache } } = {}) {
      const module = loadCached<{ say(word: string): string }>(file, () => undefined, {
        environment,
        digest,
        group: 'questions',
        command,
      });
      const said = module.exports.say('words');
      module.save();
      return { said, isCached: module.isCached };
    },
    entry() {
      const names = readdirSync(cache);
      expect(names).toHaveLength(1);
      return join(cache, names[0] ?? '');
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const FROM_SOURCE = { said: 'first words', isCached: false };
const FROM_CACHE = { said: 'first words', isCached: true };

/** Changes an entry in place, as damage or an attacker would. */
function change(path: string, edit: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, edit(readFileSync(path)));
}

function flipAt(part: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const at = Math.floor((bytes.length - 1) * part);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x40, at);
    return bytes;
  };
}

describe('the code cache', () => {
  it('keeps the code of a command for the next start, for this user alone', async () => {
    await using one = await world();
    expect(one.start()).toEqual(FROM_SOURCE);
    expect(one.start()).toEqual(FROM_CACHE);
    expect(statSync(one.cache).mode & 0o777).toBe(0o700);
    expect(statSync(one.entry()).mode & 0o777).toBe(0o600);
  });

  it('is rewritten only for a command whose code it may lack', async () => {
    await using one = await world();
    one.start();
    const { ino } = statSync(one.entry());
    one.start();
    expect(statSync(one.entry()).ino).toBe(ino);
    expect(one.start({ command: 'show' })).toEqual(FROM_CACHE);
    expect(statSync(one.entry()).ino).not.toBe(ino);
    const last = statSync(one.entry()).ino;
    one.start({ command: 'list' });
    one.start({ command: 'show' });
    expect(statSync(one.entry()).ino).toBe(last);
  });

  it('never runs the code of another text of the same length, not even with the same times', async () => {
    await using one = await world();
    one.start();
    const { atime, mtime } = statSync(one.file);
    writeFileSync(one.file, SOURCE.replace('first', 'other'));
    utimesSync(one.file, atime, mtime);
    expect(one.start()).toEqual({ said: 'other words', isCached: false });
    expect(one.start()).toEqual({ said: 'other words', isCached: true });
  });

  it('does not take data of another build', async () => {
    await using one = await world();
    one.start();
    expect(one.start({ digest: 'as built later' })).toEqual(FROM_SOURCE);
  });

  it.each([
    ['truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
    ['empty', () => Buffer.alloc(0)],
    ['without its data', (bytes: Buffer) => bytes.subarray(0, bytes.indexOf(0x0a) + 1)],
    ['of zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['longer', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('more')])],
    ['damaged in the first copy', flipAt(0.5)],
    ['damaged in the second copy', flipAt(0.9)],
    ['of another Node', (bytes: Buffer) => replaced(bytes, process.version, 'v20.00.0')],
    ['of another V8', (bytes: Buffer) => replaced(bytes, process.versions.v8, '1.2.3')],
    ['of another machine', (bytes: Buffer) => replaced(bytes, `"${process.arch}"`, '"mips"')],
    ['with a length that is no number', (bytes: Buffer) => replaced(bytes, ' ', ' -')],
  ])('ignores and replaces an entry that is %s', async (_what, edit) => {
    await using one = await world();
    one.start();
    change(one.entry(), edit);
    expect(one.start()).toEqual(FROM_SOURCE);
    expect(one.start()).toEqual(FROM_CACHE);
  });

  it.each([
    ['others may write', 0o622],
    ['others may read', 0o604],
  ])('does not read an entry that %s', async (_what, mode) => {
    await using one = await world();
    one.start();
    chmodSync(one.entry(), mode);
    expect(one.start()).toEqual(FROM_SOURCE);
  });

  it('follows no link to an entry', async () => {
    await using one = await world();
    one.start();
    const entry = one.entry();
    const elsewhere = join(one.cache, '..', 'elsewhere');
    renameSync(entry, elsewhere);
    symlinkSync(elsewhere, entry);
    expect(one.start()).toEqual(FROM_SOURCE);
  });

  it('neither reads nor writes in a directory that others may enter, or that is a link', async () => {
    await using one = await world();
    one.start();
    chmodSync(one.cache, 0o755);
    expect(one.start()).toEqual(FROM_SOURCE);
    chmodSync(one.cache, 0o700);
    const link = join(one.cache, '..', 'link');
    symlinkSync(one.cache, link);
    const { ino } = statSync(one.entry());
    expect(one.start({ environment: { HOLDFAST_CODE_CACHE: link } })).toEqual(FROM_SOURCE);
    expect(statSync(one.entry()).ino).toBe(ino);
  });

  it('runs even if nothing can be written', async () => {
    await using one = await world();
    writeFileSync(one.cache, 'a file where the directory would be');
    expect(one.start()).toEqual(FROM_SOURCE);
    expect(one.start({ environment: { HOME: join(one.cache, 'below a file') } })).toEqual(FROM_SOURCE);
  });

  it('lets another start finish writing the same entry', async () => {
    await using one = await world();
    one.start();
    const entry = one.entry();
    const name = entry.slice(one.cache.length + 1);
    renameSync(entry, join(one.cache, `.${name}.${process.pid}`));
    expect(one.start()).toEqual(FROM_SOURCE);
    expect(readdirSync(one.cache)).toEqual([`.${name}.${process.pid}`]);
  });

  it('keeps a bounded number of entries, the newest', async () => {
    await using one = await world();
    mkdirSync(one.cache, { mode: 0o700 });
    for (let count = 0; count < 40; count++) {
      const path = join(one.cache, `old-${count}`);
      writeFileSync(path, '');
      utimesSync(path, count, count);
    }
    one.start();
    const names = readdirSync(one.cache);
    expect(names).toHaveLength(32);
    expect(names.filter((name) => name.startsWith('quick-'))).toHaveLength(1);
    expect(names).not.toContain('old-0');
  });

  it.each<[string, (root: string) => Record<string, string>, string | undefined]>([
    ['HOLDFAST_CODE_CACHE', (root) => ({ HOLDFAST_CODE_CACHE: join(root, 'own'), HOME: root }), 'own'],
    ['HOLDFAST_HOME', (root) => ({ HOLDFAST_HOME: join(root, 'hold'), HOME: root }), 'hold/cache/code'],
    ['off by the variable', (root) => ({ HOLDFAST_CODE_CACHE: 'off', HOME: root }), undefined],
    ['no home at all', () => ({}), undefined],
    ['a home that is no absolute path', () => ({ HOME: 'somewhere', HOLDFAST_HOME: 'else' }), undefined],
  ])('is where the environment says: %s', async (_what, environmentOf, expected) => {
    await using one = await world();
    const root = join(one.cache, '..', 'root');
    mkdirSync(root);
    const environment = environmentOf(root);
    expect(one.start({ environment })).toEqual(FROM_SOURCE);
    expect(one.start({ environment })).toEqual(expected === undefined ? FROM_SOURCE : FROM_CACHE);
    if (expected === undefined) expect(readdirSync(root)).toEqual([]);
    else expect(readdirSync(join(root, expected))).toHaveLength(1);
  });

  it.skipIf(process.platform === 'darwin')(
    'is below the cache directory of the user by default',
    async () => {
      await using one = await world();
      const root = join(one.cache, '..', 'root');
      one.start({ environment: { HOME: root } });
      expect(readdirSync(join(root, '.cache', 'holdfast', 'code'))).toHaveLength(1);
      one.start({ environment: { HOME: root, XDG_CACHE_HOME: join(root, 'xdg') } });
      expect(readdirSync(join(root, 'xdg', 'holdfast', 'code'))).toHaveLength(1);
    },
  );
});

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const text = bytes.toString('latin1');
  expect(text).toContain(from);
  return Buffer.from(text.replace(from, to), 'latin1');
}
