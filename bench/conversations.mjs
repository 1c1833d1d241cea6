// PERF-10, 12, 13 and 21: what it costs to list, show, verify and redact conversations, beside the bare reads.
import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import {
  compare,
  loadOurs,
  median,
  ROOT,
  ratio,
  scratchDirectory,
  startWorker,
  untilSteady,
} from './lib.mjs';

export const rows = [
  {
    id: 'PERF-10',
    what: 'list 10,000 conversations',
    goal: '<= 1.8 of reading their ends',
    run: ({ isQuick }) => withData(isQuick, measureList),
  },
  {
    id: 'PERF-12',
    what: 'the last 50 turns of a 50 MB conversation',
    goal: '<= 0.3 of reading it',
    run: ({ isQuick }) => withData(isQuick, measureLast),
  },
  {
    id: 'PERF-13',
    what: 'verify a 50 MB conversation; memory at 500 MB',
    goal: '<= 1.45 of reading its lines and their CRC-32, memory +- 20 MB',
    run: ({ isQuick }) => withData(isQuick, measureVerify),
  },
  {
    id: 'PERF-21',
    what: 'redaction of 1 MB of source and prose',
    goal: '<= 1 of JSON.stringify',
    run: ({ isQuick }) => untilSteady(() => measureRedaction(isQuick)),
  },
];

const READING = 'reading all bytes';
const SUMMING = 'reading all lines and their CRC-32';
const ENDS = 'readdir, open, read 2 x 4 KiB';
const MEGABYTE = 1_000_000;
const TURN_BYTES = 2_000;
/** 50 MB are 16,560 records then, as where the goals were set. */
const LONG_TURN_BYTES = 3_020;
const END_BYTES = 4_096;
const LF = 0x0a;

async function withData(isQuick, measureOnce) {
  const directory = scratchDirectory('conversations');
  return untilSteady(() => measureOnce({ isQuick, directory }));
}

async function measureList({ isQuick, directory }) {
  const { openConversations, writeConversation } = await loadOurs();
  const count = isQuick ? 2_000 : 10_000;
  if (!fs.existsSync(directory) || fs.readdirSync(directory).length < count) {
    for (let number = 0; number < count; number++)
      writeConversation(directory, `session-${String(number).padStart(5, '0')}`, {
        turns: 2 + (number % 15),
        turnBytes: TURN_BYTES,
      });
  }
  const sessions = openConversations(directory);
  const listed = sessions.list();
  if (listed.length !== count || listed.some(({ turnCount, isDamaged }) => turnCount < 2 || isDamaged))
    throw new Error('the list is wrong');
  const candidates = [
    { name: ENDS, count: 1, run: () => readEnds(directory) },
    { name: 'ours', count: 1, run: () => sessions.list() },
  ];
  return against(await compare(candidates, isQuick ? 7 : 15), ENDS, 1.8);
}

function readEnds(directory) {
  const buffer = Buffer.allocUnsafe(END_BYTES);
  let bytes = 0;
  for (const name of fs.readdirSync(directory)) {
    const descriptor = fs.openSync(`${directory}/${name}`, 'r');
    const { size } = fs.fstatSync(descriptor);
    bytes += fs.readSync(descriptor, buffer, 0, END_BYTES, 0);
    bytes += fs.readSync(descriptor, buffer, 0, END_BYTES, Math.max(0, size - END_BYTES));
    fs.closeSync(descriptor);
  }
  return bytes;
}

async function measureLast({ isQuick, directory }) {
  const { sessions, file } = await longConversation(directory, 50);
  if (sessions.readLast('long', 50).turns.length !== 50) throw new Error('the turns are wrong');
  const candidates = [
    { name: READING, count: 3, run: (count) => repeat(count, () => readAll(file)) },
    { name: 'ours', count: 10, run: (count) => repeat(count, () => sessions.readLast('long', 50)) },
  ];
  return against(await compare(candidates, isQuick ? 7 : 21), READING, 0.3);
}

async function measureVerify({ isQuick, directory }) {
  const { sessions, file } = await longConversation(directory, 50);
  if (!sessions.verify('long').isOk) throw new Error('it is not whole');
  const candidates = [
    { name: READING, count: 3, run: (count) => repeat(count, () => readAll(file)) },
    { name: SUMMING, count: 1, run: () => sumLines(file) },
    { name: 'ours', count: 1, run: () => sessions.verify('long') },
  ];
  const series = await compare(candidates, isQuick ? 7 : 21);
  const summed = against(series, SUMMING, 1.45);
  const measured = {
    ...summed,
    notes: [
      ...summed.notes,
      `${ratio(series.ours, series[READING]).toFixed(2)} of ${READING}, of which the lines and their CRC-32 alone cost ${ratio(series[SUMMING], series[READING]).toFixed(2)}`,
    ],
  };
  if (isQuick) return measured;
  const small = await memoryOf(directory, 50);
  const large = await memoryOf(directory, 500);
  const growth = {
    what: 'MB more at 500 MB than at 50 MB',
    value: Math.max(0.001, large - small),
    atMost: 20,
  };
  return {
    ...measured,
    checks: [...measured.checks, growth],
    notes: [
      ...measured.notes,
      `peak memory ${small.toFixed(0)} MB at 50 MB, ${large.toFixed(0)} MB at 500 MB`,
    ],
  };
}

/** Peak memory in MB of a process that verifies such a file and shows its end. */
async function memoryOf(directory, megabytes) {
  const place = path.join(directory, `of-${megabytes}`);
  await longConversation(place, megabytes);
  const worker = await startWorker('verifier.mjs');
  try {
    const { peakMegabytes } = await worker.ask({ directory: place });
    return peakMegabytes;
  } finally {
    await worker.kill();
  }
}

async function longConversation(directory, megabytes) {
  const { openConversations, writeConversation } = await loadOurs();
  const turns = Math.round((megabytes * MEGABYTE) / LONG_TURN_BYTES);
  const file = path.join(directory, 'long.jsonl');
  if (!fs.existsSync(file)) writeConversation(directory, 'long', { turns, turnBytes: LONG_TURN_BYTES });
  return { sessions: openConversations(directory), file };
}

function readAll(file) {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  const descriptor = fs.openSync(file, 'r');
  while (fs.readSync(descriptor, buffer) > 0);
  fs.closeSync(descriptor);
}

/** What whoever checks a log does at least: the checksum of each of its lines. */
function sumLines(file) {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  const descriptor = fs.openSync(file, 'r');
  let held = 0;
  let sum = 0;
  for (let count = -1; count !== 0; ) {
    count = fs.readSync(descriptor, buffer, held, buffer.length - held, null);
    const filled = buffer.subarray(0, held + count);
    let from = 0;
    for (let end = filled.indexOf(LF, held); end !== -1; end = filled.indexOf(LF, from)) {
      sum ^= crc32(new Uint8Array(buffer.buffer, buffer.byteOffset + from, end - from));
      from = end + 1;
    }
    buffer.copyWithin(0, from, filled.length);
    held = filled.length - from;
  }
  fs.closeSync(descriptor);
  return sum;
}

async function measureRedaction(isQuick) {
  const { redact } = await loadOurs();
  const text = sampleText();
  const pieces = Array.from({ length: 500 }, (_, index) => text.slice(index * 2_000, (index + 1) * 2_000));
  const candidates = [
    { name: 'JSON.stringify', count: 1, run: () => pieces.forEach((piece) => void JSON.stringify(piece)) },
    { name: 'ours', count: 1, run: () => pieces.forEach((piece) => void redact(piece)) },
  ];
  return against(await compare(candidates, isQuick ? 11 : 51), 'JSON.stringify', 1);
}

/** Our own source and documents, as agents show them. */
function sampleText() {
  const files = ['src', 'docs', 'test'].flatMap((folder) =>
    fs.readdirSync(path.join(ROOT, folder), { recursive: true }).map((name) => path.join(ROOT, folder, name)),
  );
  let text = '';
  for (const file of files.sort()) {
    if (/\.(ts|tsx|md)$/.test(file)) text += fs.readFileSync(file, 'utf8');
    if (text.length > MEGABYTE) break;
  }
  return Buffer.from(text.slice(0, MEGABYTE)).toString('utf8');
}

function repeat(count, operation) {
  for (let done = 0; done < count; done++) operation();
}

function against(series, limit, atMost) {
  const value = ratio(series.ours, series[limit]);
  return {
    series,
    steady: [series[limit]],
    limit: { name: limit, ratio: value },
    peers: [],
    checks: [{ what: `of ${limit}`, value, atMost }],
    notes: [`${limit}: ${median(series[limit]).toFixed(2)} ms`],
  };
}
