import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overviewRow } from '../../../test/support/overview-rows.js';
import type { SessionRow } from '../../hub/index.js';
import { rowOfRun, runOfRow } from './mirrored-run.js';

const HOME = '40000000-0000-4000-8000-00000000000a';
const worktree = { path: '/w/a', branch: 'holdfast/a', repository: '/r' };
const run = overviewRow({ tests: [{ passing: 1, total: 2 }], why: 'paused: lunch', worktree, leftBehind: 7 });

function mirrored(summary: unknown, overrides: Partial<SessionRow> = {}): SessionRow {
  return {
    home: HOME,
    machine: 'workstation',
    quiet_seconds: 1,
    id: run.id,
    state: 'running',
    needs_person: false,
    summary,
    request: null,
    request_kind: null,
    request_by: null,
    ...overrides,
  };
}

describe('a run in the mirror', () => {
  it('comes back as the same row, of its machine, without a process of that machine', () => {
    const { summary } = rowOfRun(run);
    const { leftBehind: _left, ...row } = run;
    expect(runOfRow(mirrored(JSON.parse(JSON.stringify(summary))))).toEqual({
      ...row,
      key: `run:${run.id}@${HOME}`,
      machine: 'workstation',
    });
  });

  it('has what is on its way to it', () => {
    const request = { request: HOME, request_kind: 'pause', request_by: 'bob' };
    expect(runOfRow(mirrored(rowOfRun(run).summary, request))?.onItsWay).toEqual({
      request: HOME,
      kind: 'pause',
      by: 'bob',
    });
  });

  it('has a different stamp only if its row says something different', () => {
    expect(rowOfRun({ ...run }).stamp).toBe(rowOfRun(run).stamp);
    expect(rowOfRun({ ...run, status: 'paused' }).stamp).not.toBe(rowOfRun(run).stamp);
    expect(rowOfRun({ ...run, tests: [] }).stamp).not.toBe(rowOfRun(run).stamp);
  });

  it('is cut if it is long, so that it need not be left out', () => {
    const long = { ...run, why: 'x'.repeat(100_000), title: 'y'.repeat(100_000) };
    expect(runOfRow(mirrored(rowOfRun(long).summary))?.why).toHaveLength(8_192);
  });

  it('is never anything but a row, whatever somebody put there', () => {
    const summary = rowOfRun(run).summary as Record<string, unknown>;
    const keys = fc.constantFrom(...Object.keys(summary));
    fc.assert(
      fc.property(keys, fc.anything(), (key, value) => {
        const row = runOfRow(mirrored({ ...summary, [key]: value }));
        if (row !== undefined) expect(row).toMatchObject({ id: run.id, kind: 'run', machine: 'workstation' });
      }),
    );
    expect(runOfRow(mirrored({ ...summary, id: HOME }))).toBeUndefined();
    for (const value of [null, 7, 'x', [], {}]) expect(runOfRow(mirrored(value))).toBeUndefined();
  });
});
