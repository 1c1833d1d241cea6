import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deadIdentity } from '../../test/support/processes.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem, ownIdentity, type ProcessIdentity } from '../storage/index.js';
import { mendTerminal, terminalNotes } from './held-terminal.js';

/** A person at `/dev/pts/99`; without a terminal there is no `stty` to ask either. */
async function person(terminal = '/dev/pts/99') {
  const dir = await tempDir();
  const log = new RecordingLog();
  const fileSystem = {
    ...nodeFileSystem,
    readLink: (path: string) => (path === '/proc/self/fd/0' ? terminal : nodeFileSystem.readLink(path)),
  };
  const placeOf = (identity: ProcessIdentity) => ({
    tools: storageTools({ fileSystem, log, identity }),
    environment: { PATH: dir.at('nothing') },
    config: { layout: { terminals: dir.at('terminals') } },
  });
  const record = dir.at('terminals/pts-99.json');
  return {
    log,
    record,
    /** What a view that starts in this process records. */
    note: async (identity = ownIdentity(nodeFileSystem)) =>
      (await terminalNotes(placeOf(identity)))('alternate'),
    plant(content: string) {
      mkdirSync(dir.at('terminals'), { recursive: true });
      writeFileSync(record, content);
    },
    /** What the next start writes to the terminal. */
    mend() {
      let written = '';
      mendTerminal(placeOf(ownIdentity(nodeFileSystem)), (text) => {
        written += text;
      });
      return written;
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('a terminal that a view holds', () => {
  it('is recorded with its owner, and forgotten when the view ends', async () => {
    await using one = await person();
    const forget = await one.note();
    expect(JSON.parse(readFileSync(one.record, 'utf8'))).toMatchObject({
      version: 1,
      terminal: '/dev/pts/99',
      screen: 'alternate',
      settings: null,
      owner: { pid: process.pid },
    });
    forget();
    expect(existsSync(one.record)).toBe(false);
  });

  it('is left alone while its owner is alive', async () => {
    await using one = await person();
    await one.note();
    expect(one.mend()).toBe('');
    expect(existsSync(one.record)).toBe(true);
  });

  it('is put back once its owner was killed, and not a second time', async () => {
    await using one = await person();
    await one.note(await deadIdentity());
    expect(one.mend()).toMatch(/^\x1b\[\?1049l.*\x1b\[\?25h/);
    expect(one.mend()).toBe('');
  });

  it('is left alone if the record is a different one or cannot be read, and the log says so', async () => {
    await using one = await person();
    one.plant('{"version":2}');
    expect(one.mend()).toBe('');
    expect(one.log.named('terminal.not-mended')).toHaveLength(1);
    expect(existsSync(one.record)).toBe(false);
    await one.note(await deadIdentity());
    one.plant(readFileSync(one.record, 'utf8').replace('/dev/pts/99', '/dev/pts/98'));
    expect(one.mend()).toBe('');
  });

  it('does not exist if standard input is none: nothing is recorded', async () => {
    await using one = await person('pipe:[1]');
    await one.note();
    expect(existsSync(one.record)).toBe(false);
    expect(one.mend()).toBe('');
  });
});
