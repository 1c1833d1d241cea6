import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { CHROMIUM } from './chromium.js';
import { POSTGRES } from './postgres-place.js';

/** What a test needs from the machine. */
export interface Needs {
  readonly root?: true;
  readonly tmux?: true;
  readonly strace?: true;
  /** Private pid and mount namespaces. */
  readonly unshare?: true;
  /** A browser in one of the usual places. */
  readonly chromium?: true;
  /** Private time namespaces. */
  readonly timeNamespace?: true;
  /** The programs of a PostgreSQL server. */
  readonly postgres?: true;
  /** A connection pooler for one. */
  readonly pgbouncer?: true;
  /** Programs with their own clock. */
  readonly faketime?: true;
  /** Private networks with names, and links between them. */
  readonly networkNamespace?: true;
  /** A file system mounted at a chosen place. */
  readonly mount?: true;
}

const PROBES: Readonly<Record<keyof Needs, () => boolean>> = {
  root: () => process.geteuid?.() === 0,
  tmux: () => runs('tmux', '-V'),
  strace: () => runs('strace', '-o', '/dev/null', 'true'),
  unshare: () => runs('unshare', '--pid', '--fork', '--mount-proc', 'true'),
  chromium: () => CHROMIUM !== undefined,
  postgres: () => POSTGRES !== undefined,
  pgbouncer: () => runs('pgbouncer', '--version'),
  faketime: () => runs('faketime', '-f', '+1h', 'true'),
  networkNamespace: () =>
    runs('unshare', '--net', 'sh', '-c', 'ip link add hf0 type veth peer name hf1') &&
    runs('ip', 'netns', 'list'),
  mount: () => runs('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'),
  timeNamespace: () => runs('unshare', '-T', '--boottime', '1000', '--fork', 'true'),
};

/**
 * A test that not every machine can run. If something is missing it is skipped and its name says why; with
 * HOLDFAST_NO_SKIPS=1 (the machine that must prove everything) it fails instead.
 */
export function itNeeds(
  needs: Needs,
  name: string,
  prove: () => void | Promise<void>,
  timeoutMs?: number,
): void {
  const missing = (Object.keys(needs) as (keyof Needs)[]).filter((need) => !isThere(need));
  if (missing.length === 0) {
    it(name, prove, timeoutMs);
  } else if (process.env.HOLDFAST_NO_SKIPS === '1') {
    it(name, () => expect(missing, 'needed here, and HOLDFAST_NO_SKIPS=1').toEqual([]));
  } else {
    it.skip(`${name} (SKIPPED: needs ${missing.join(', ')})`, prove);
  }
}

const answers = new Map<keyof Needs, boolean>();

function isThere(need: keyof Needs): boolean {
  const known = answers.get(need) ?? PROBES[need]();
  answers.set(need, known);
  return known;
}

function runs(command: string, ...parameters: string[]): boolean {
  return spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
}
