import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace } from '../support/change-kills.js';
import { changeWorkers, raceForChange } from '../support/change-races.js';
import { tempDir } from '../support/temp-dir.js';
import { verifies } from '../support/verifies.js';

describe('many processes at once', () => {
  verifies('S02', 'sixteen start a session on one change: exactly one wins (12 rounds)', async () => {
    await using sixteen = await changeWorkers(16);
    await using dir = await tempDir();
    for (let round = 0; round < 12; round++) await raceForChange(sixteen.workers, dir, `c${round}`);
  });

  verifies('S10', 'learning and ticking in one session: nothing is lost', async () => {
    await using eight = await changeWorkers(8);
    await using dir = await tempDir();
    const ids = Array.from({ length: 8 }, (_, index) => `1.${index + 1}`);
    const place = makePlace(dir, 'add-login', `## 1. A\n${ids.map((id) => `- [ ] ${id} x`).join('\n')}\n`);
    const [first] = eight.workers;
    const sessionId = 's1';
    await first?.call('act', { place, act: { name: 'init', change: 'add-login', sessionId } });
    await first?.call('act', { place, act: { name: 'next-story', sessionId } });
    const startAt = Date.now() + 4;
    const endings = await Promise.all(
      eight.workers.flatMap((worker, index) => [
        worker.call('act', { place, act: { name: 'done', task: ids[index] ?? '', sessionId }, startAt }),
        worker.call('act', { place, act: { name: 'learn', text: `of ${index}`, sessionId } }),
      ]),
    );
    expect(endings.filter((ending) => ending.kind !== 'done')).toEqual([]);
    expect(await first?.call('act', { place, act: { name: 'flush', sessionId } })).toEqual({
      kind: 'done',
      value: 8,
    });
    const change = join(place.project, 'openspec', 'changes', 'add-login');
    expect(readFileSync(join(change, 'tasks.md'), 'utf8')).not.toContain('[ ]');
    const design = readFileSync(join(change, 'design.md'), 'utf8').split('\n');
    expect(design.filter((line) => line.startsWith('- of ')).sort()).toEqual(
      eight.workers.map((_, index) => `- of ${index}`),
    );
  });

  it('learning while one flushes: each learning is written once, or refused', async () => {
    await using eight = await changeWorkers(8);
    for (let round = 0; round < 6; round++) {
      await using dir = await tempDir();
      const place = makePlace(dir);
      const sessionId = 's1';
      await eight.workers[0]?.call('act', { place, act: { name: 'init', change: 'add-login', sessionId } });
      const startAt = Date.now() + 4;
      const [flushed, ...learned] = await Promise.all(
        eight.workers.map((worker, index) =>
          worker.call('act', {
            place,
            act:
              index === 0 ? { name: 'flush', sessionId } : { name: 'learn', text: `of ${index}`, sessionId },
            startAt,
          }),
        ),
      );
      const kept = learned.flatMap((ending, at) => (ending.kind === 'done' ? [`- of ${at + 1}`] : []));
      for (const ending of learned) if (ending.kind === 'failed') expect(ending.code).toBe('SESSION_ENDED');
      expect(flushed).toEqual({ kind: 'done', value: kept.length });
      const design = readFileSync(join(place.project, 'openspec/changes/add-login/design.md'), 'utf8');
      expect(
        design
          .split('\n')
          .filter((line) => line.startsWith('- of '))
          .sort(),
      ).toEqual(kept);
    }
  });
});
