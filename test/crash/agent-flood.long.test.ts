import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Machine, machine } from '../support/holdfast-binary.js';

const GIGABYTE = 1024 ** 3;
const MAX_GROWTH_KB = 64 * 1024;

/** Shell commands that fill the pipe by writing without end. */
const FLOODS = {
  lines: `yes '${'flooding '.repeat(12)}'`,
  'blank lines': `yes ''`,
  'one line without end': 'cat /dev/zero',
} as const;

it.each(Object.entries(FLOODS))(
  'an agent that floods 1 GB of %s on stderr costs us less than 64 MB of memory',
  async (_what, flood) => {
    await using pc = await machine();
    // The peak memory of its parent, holdfast: before and after.
    const note = (name: string) => `grep VmHWM /proc/$PPID/status > '${pc.dir.at(name)}'`;
    const script = `read -r line; ${note('before')}; ${flood} | head -c ${GIGABYTE} >&2; ${note('after')}; echo '[DONE]'`;
    pc.configure({ agents: { floods: { driver: 'line', command: 'sh', args: ['-c', script] } } });
    const { code } = await pc.run(['exec', '--agent', 'floods', 'go']);
    expect(code).toBe(0);
    expect(peakKb(pc, 'after') - peakKb(pc, 'before')).toBeLessThan(MAX_GROWTH_KB);
  },
);

function peakKb(pc: Machine, name: string): number {
  return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(pc.dir.at(name), 'utf8'))?.[1]);
}
