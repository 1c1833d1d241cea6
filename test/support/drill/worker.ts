/*
 * A minimal worker with the real lease and the real guard: takes the one entry there is, runs it, renews. Its arguments
 * are JSON. SIGUSR2 blocks its loop for a while.
 */
import { randomUUID } from 'node:crypto';
import { bootClock } from '../../../src/fleet/queue/boot-clock.js';
import { type Fence, LeaseHolder } from '../../../src/fleet/queue/lease.js';
import { silentLogger, systemClock } from '../../../src/foundation/index.js';
import { connect, type HubConnection, parseAddress } from '../../../src/hub/index.js';
import { GUARD_NAME, type Guard, startDetached, startGuard } from '../../../src/programs/index.js';
import { nodeFileSystem } from '../../../src/storage/index.js';

interface DrillOptions {
  readonly url: string;
  readonly machine: string;
  readonly label: string;
  readonly state: string;
  readonly beats: string;
  readonly guard: string;
  readonly run: string;
  readonly agent: string;
  readonly leaseSeconds: number;
  readonly marginMs: number;
  readonly renewEveryMs: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as DrillOptions;
const fileSystem = nodeFileSystem;
const clock = systemClock;
const boot = bootClock(fileSystem, clock);
process.on('SIGUSR2', () => {
  const until = Date.now() + options.leaseSeconds * 1_500;
  while (Date.now() < until);
});

for (;;) {
  const taken = await take().catch(() => undefined);
  if (taken === undefined) await clock.sleep(100);
  else await hold(taken);
}

async function open(): Promise<HubConnection> {
  return connect({
    address: parseAddress(options.url),
    passwordFor: () => parseAddress(options.url).password,
    fileSystem,
    clock,
    log: silentLogger,
    timeoutMs: 1_000,
  });
}

async function take(): Promise<{ fence: Fence; askedAtMs: number } | undefined> {
  const token = randomUUID();
  await using connection = await open();
  const askedAtMs = boot.bootMs();
  const [row] = await connection.rows('select id, epoch from holdfast.take_entry($1, $2, $3, $4, $5, $6)', [
    options.machine,
    token,
    [options.label],
    ['owner'],
    options.leaseSeconds,
    '{}',
  ]);
  if (row === undefined) return undefined;
  return { fence: { entry: String(row.id), epoch: Number(row.epoch), token }, askedAtMs };
}

async function hold({ fence, askedAtMs }: { fence: Fence; askedAtMs: number }): Promise<void> {
  let connection: HubConnection | undefined;
  using lease = new LeaseHolder({
    fence,
    askedAtMs,
    boot,
    clock,
    log: silentLogger,
    times: {
      leaseMs: options.leaseSeconds * 1_000,
      marginMs: options.marginMs,
      renewEveryMs: options.renewEveryMs,
    },
    async renew({ entry, epoch, token }) {
      if (!connection?.isOpen) connection = await open();
      const values = [entry, epoch, token, options.leaseSeconds];
      await connection.rows('select holdfast.renew($1, $2, $3, $4)', values);
      return null;
    },
  });
  const guard = await startGuard({
    fileSystem,
    program: { command: process.execPath, args: [options.guard] },
    marker: randomUUID(),
    deadlineMs: lease.deadlineMs,
  });
  using _feed = lease.onRenewed((deadlineMs) => guard.renew(deadlineMs));
  await startRun(guard, fence.epoch);
  const isLost = new Promise<void>((resolve) => lease.lost.addEventListener('abort', () => resolve()));
  await Promise.race([isLost, guard.left]);
  lease.close();
  await guard.end();
  try {
    connection ??= await open();
    await connection.rows('select holdfast.release($1, $2, $3)', [fence.entry, fence.epoch, fence.token]);
  } catch {
    // It is not ours any more, or it is ending anyway.
  }
  await connection?.close();
}

async function startRun(guard: Guard, epoch: number): Promise<void> {
  const run = await startDetached({
    command: process.execPath,
    args: [
      options.run,
      options.state,
      options.beats,
      String(epoch),
      String(guard.process.pid),
      options.agent,
    ],
    workingDirectory: options.state,
    environment: { ...process.env, [GUARD_NAME]: guard.marker },
    stderr: 'ignore',
    around: (start) => guard.around(start),
  });
  guard.follow(run.pid);
}
