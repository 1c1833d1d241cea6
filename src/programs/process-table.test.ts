import { describe, expect, it } from 'vitest';
import { type FileSystem, nodeFileSystem } from '../storage/index.js';
import { lowestPidSince, readProcessTable } from './process-table.js';

describe('the lowest pid of what a process started', () => {
  const lowest = (pid: number, agoMs: number, highest = '32768\n') => {
    const system: FileSystem = { ...nodeFileSystem, readText: () => highest };
    return lowestPidSince(system, pid, agoMs);
  };

  it('is its own, if pids surely have not wrapped since', () => {
    expect(lowest(4_000, 30)).toBe(4_000);
    expect(lowest(31_000, 30)).toBe(31_000);
    expect(lowest(32_000, 60_000, '4194304\n')).toBe(32_000);
  });

  it.each([
    ['near the highest', 32_000, 0, '32768\n'],
    ['after a long time', 4_000, 10_000, '32768\n'],
    ['where nobody says which is the highest', 4_000, 30, ''],
  ])('is any %s', (_when, pid, agoMs, highest) => {
    expect(lowest(pid, agoMs, highest)).toBe(0);
  });
});

it('a scan from a pid on has that process and none with a lower pid', () => {
  const table = readProcessTable(nodeFileSystem, process.pid);
  expect(Math.min(...table.keys())).toBe(process.pid);
  expect(readProcessTable(nodeFileSystem).has(1)).toBe(true);
});
