/**
 * A program that writes question sets exactly as AUQ 3.4 does: temporary files in the system's temporary directory,
 * renames over existing files, a lock file for each file, read and written under two locks, a status written twice for
 * a new set, and sets deleted file by file. It obeys messages and reports when it is done.
 */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [directory = ''] = process.argv.slice(2);
const at = (id, file) => join(directory, id, file);

async function locked(target, act) {
  const path = `${target}.lock`;
  const giveUpAt = Date.now() + 5_000;
  for (;;) {
    try {
      const handle = await open(path, 'wx', 0o600);
      await handle.writeFile(String(process.pid));
      await handle.close();
      break;
    } catch (error) {
      if (error.code !== 'EEXIST' || Date.now() > giveUpAt) throw error;
      await sleep(50);
    }
  }
  try {
    return await act();
  } finally {
    await unlink(path).catch(() => {});
  }
}

const read = (path) => locked(path, async () => JSON.parse(await readFile(path, 'utf8')));

function write(path, content) {
  return locked(path, async () => {
    const text = JSON.stringify(content, null, 2);
    const temporary = join(
      tmpdir(),
      `${Date.now()}-${Math.random().toString(36).slice(2)}-${basename(path)}.tmp`,
    );
    await writeFile(temporary, text, { mode: 0o600 });
    if ((await readFile(temporary, 'utf8')) !== text) throw new Error('not what was written');
    await rename(temporary, path);
    await chmod(path, 0o600);
  });
}

async function updateStatus(id, fields) {
  const status = await read(at(id, 'status.json'));
  await write(at(id, 'status.json'), { ...status, ...fields, lastModified: new Date().toISOString() });
}

const ACTS = {
  async create({ id, questions }) {
    const timestamp = new Date().toISOString();
    const callId = randomUUID();
    await mkdir(join(directory, id), { mode: 0o700 });
    const request = { sessionId: id, questions, status: 'pending', timestamp };
    const status = {
      sessionId: id,
      status: 'pending',
      createdAt: timestamp,
      lastModified: timestamp,
      totalQuestions: questions.length,
    };
    await write(at(id, 'request.json'), request);
    await write(at(id, 'status.json'), status);
    // The second time with the call.
    await write(at(id, 'request.json'), { ...(await read(at(id, 'request.json'))), callId });
    await updateStatus(id, { callId });
  },
  async answer({ id, label }) {
    const { callId } = await read(at(id, 'status.json'));
    const timestamp = new Date().toISOString();
    const answers = [{ questionIndex: 0, selectedOption: label, timestamp }];
    await write(at(id, 'answers.json'), {
      sessionId: id,
      answers,
      timestamp,
      ...(callId === undefined ? {} : { callId }),
    });
    await updateStatus(id, { status: 'completed' });
  },
  async fetch({ id }) {
    const answers = await read(at(id, 'answers.json'));
    await write(at(id, 'answers.json'), { ...answers, lastReadAt: new Date().toISOString() });
  },
  async remove({ id }) {
    const path = join(directory, id);
    for (let tries = 0; tries < 100; tries++) {
      try {
        for (const name of await readdir(path)) await unlink(join(path, name)).catch(() => {});
        await rmdir(path);
        return;
      } catch (error) {
        if (error.code === 'ENOENT') return;
        if (error.code !== 'ENOTEMPTY') throw error;
      }
    }
    throw new Error(`${path} does not get empty`);
  },
};

process.on('message', async ({ act, ...input }) => {
  try {
    await ACTS[act](input);
    process.send({ done: true });
  } catch (error) {
    process.send({ done: false, error: String(error.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
