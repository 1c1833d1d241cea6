import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { nodeFileSystem } from '../../../storage/index.js';
import { bootTimeMs, UPTIME_FILE } from '../../boot-time.js';
import { ControlGroups } from '../../control-group.js';
import { type FromGuard, readMessage, type ToGuard } from '../messages.js';
import { RunGuard, TICK_MS } from '../run-guard.js';
import { RunTree } from '../run-tree.js';

/*
 * The guard of one run: a process of its own, so that nothing that happens to its worker (a crash, SIGSTOP, a blocked
 * loop, a suspended machine) keeps an agent alive past the deadline of its lease.
 */

const { values } = parseArgs({
  options: {
    marker: { type: 'string', default: '' },
    deadline: { type: 'string', default: '0' },
    group: { type: 'string' },
    uptime: { type: 'string', default: UPTIME_FILE },
  },
});

// A signal that stops the worker then stops us through the pipe; until then the run still needs a guard.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdout.on('error', () => {}); // the worker is gone: nobody is listening any more

const group =
  values.group === undefined ? null : new ControlGroups(nodeFileSystem).open(values.group, values.marker);
const guard = new RunGuard(
  {
    tree: new RunTree(nodeFileSystem, values.marker, group),
    bootTimeMs: () => bootTimeMs(nodeFileSystem, values.uptime),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    say,
    leave: () => process.exit(0),
  },
  Number(values.deadline),
);

function say(words: FromGuard): void {
  process.stdout.write(`${JSON.stringify(words)}\n`);
}

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  .on('line', (line) => {
    const message = readMessage<ToGuard>(line, 'tell');
    if (message !== undefined) guard.hear(message);
  })
  .on('close', () => void guard.end('worker-gone'));
process.stdin.on('error', () => void guard.end('worker-gone'));
setInterval(() => guard.tick(), TICK_MS);
say({ says: 'ready' });
