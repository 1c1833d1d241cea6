// PERF-1 and PERF-4: what our durability adds to the bare system calls, and what the peers charge for less or as much.
import fs from 'node:fs';
import path from 'node:path';
import { compare, loadOurs, loadPeer, median, ratio, scratchDirectory, untilSteady } from './lib.mjs';

export const rows = [
  {
    id: 'PERF-1',
    what: 'durable append of 300 B under a held lock',
    goal: '<= 1.3 of write + fdatasync',
    run: ({ isQuick }) => untilSteady(() => measureAppend(isQuick)),
  },
  {
    id: 'PERF-4',
    what: 'durable replacement of a 2 KB file',
    goal: '<= 1.25 of temp + fsync + rename + fsync dir',
    run: ({ isQuick }) => untilSteady(() => measureReplace(isQuick)),
  },
];

const LIMIT_APPEND = 'write + fdatasync';
/** Appends after which the compiler is done with us; the bare loop needs none. */
const COMPILED_AFTER = 2_000;
const LIMIT_REPLACE = 'temp + fsync + rename + fsync dir';

/** Our line adds seq and crc and is about 300 bytes long then; the others write the same number of bytes. */
const RECORD = { type: 'turn', role: 'user', content: 'x'.repeat(230) };
const LINE_BYTES = 300;
const STATE = JSON.stringify({ status: 'running', text: 'y'.repeat(2_000) });

async function measureAppend(isQuick) {
  const directory = scratchDirectory('append');
  // As many in a row as where the goals were set.
  const count = isQuick ? 50 : 150;
  const log = await (await loadOurs()).openLog(path.join(directory, 'ours.jsonl'));
  const bare = fs.openSync(path.join(directory, 'bare'), 'a', 0o600);
  const line = Buffer.from(`${'x'.repeat(LINE_BYTES - 1)}\n`);
  const candidates = [
    repeated(LIMIT_APPEND, count, () => {
      fs.writeSync(bare, line);
      fs.fdatasyncSync(bare);
    }),
    repeated('ours', count, () => log.append(RECORD)),
  ];
  const sqlite = await openSqlite(path.join(directory, 'peer.db'), line.toString());
  if (sqlite !== undefined) candidates.push(repeated('SQLite WAL/FULL', count, sqlite.insert));
  try {
    const series = await compare(candidates, isQuick ? 7 : 31);
    const measured = against(series, LIMIT_APPEND, 1.3, [{ peer: 'SQLite WAL/FULL', aim: 1 }]);
    for (let done = 0; done < COMPILED_AFTER; done++) log.append(RECORD);
    const later = await compare(candidates, isQuick ? 3 : 15);
    const steady = ratio(later.ours, later[LIMIT_APPEND]).toFixed(2);
    return {
      ...measured,
      notes: [...measured.notes, `${steady} of ${LIMIT_APPEND} once it is compiled (does not decide)`],
    };
  } finally {
    fs.closeSync(bare);
    log.close();
    sqlite?.close();
  }
}

async function measureReplace(isQuick) {
  const directory = scratchDirectory('replace');
  const count = isQuick ? 10 : 20;
  const { replaceFile } = await loadOurs();
  const writeFileAtomic = await loadPeer('write-file-atomic');
  const at = (name) => path.join(directory, name);
  const candidates = [
    repeated(LIMIT_REPLACE, count, () => replaceBare(directory, 'bare.json')),
    repeated('ours', count, () => replaceFile(at('ours.json'), STATE)),
  ];
  if (writeFileAtomic !== undefined) {
    const peer = async (times) => {
      for (let done = 0; done < times; done++) await writeFileAtomic(at('peer.json'), STATE);
    };
    candidates.push({ name: 'write-file-atomic', count, run: peer });
  }
  const series = await compare(candidates, isQuick ? 7 : 31);
  return against(series, LIMIT_REPLACE, 1.25, [{ peer: 'write-file-atomic', aim: 0.6 }]);
}

/** One check against the limit; peers are told with what we aim at, and do not decide. */
function against(series, limit, atMost, peers) {
  const value = ratio(series.ours, series[limit]);
  const present = peers.filter(({ peer }) => series[peer] !== undefined);
  return {
    series,
    steady: [series[limit]],
    limit: { name: limit, ratio: value },
    peers: present.map(({ peer }) => ({ name: peer, ratio: ratio(series.ours, series[peer]) })),
    checks: [{ what: `of ${limit}`, value, atMost }],
    notes: [
      // A disk that is busy makes the sync long and every ratio to it small.
      `${limit}: ${(median(series[limit]) * 1000).toFixed(0)} us`,
      ...present.map(({ peer, aim }) => {
        const measured = ratio(series.ours, series[peer]);
        return `${measured.toFixed(2)} of ${peer} (aim: <= ${aim})`;
      }),
    ],
  };
}

function repeated(name, count, operation) {
  const run = (times) => {
    for (let done = 0; done < times; done++) operation();
  };
  return { name, count, run };
}

function replaceBare(directory, name) {
  const target = path.join(directory, name);
  const descriptor = fs.openSync(`${target}.tmp`, 'w', 0o600);
  fs.writeSync(descriptor, STATE);
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
  fs.renameSync(`${target}.tmp`, target);
  const parent = fs.openSync(directory, 'r');
  fs.fsyncSync(parent);
  fs.closeSync(parent);
}

async function openSqlite(file, line) {
  const Database = await loadPeer('better-sqlite3');
  if (Database === undefined) return undefined;
  const database = new Database(file);
  database.pragma('journal_mode=WAL');
  database.pragma('synchronous=FULL');
  database.exec('create table log(id integer primary key, session text, line text)');
  const statement = database.prepare('insert into log(session, line) values(?, ?)');
  return { insert: () => statement.run('session', line), close: () => database.close() };
}
