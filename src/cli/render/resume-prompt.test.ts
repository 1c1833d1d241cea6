import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ATTACKS } from '../../../test/support/hostile-text.js';
import { loopWorld, PLAN } from '../../../test/support/loop-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { columnsOf } from '../../foundation/index.js';
import { type LoopReport, offerOf, reportOf } from '../../sessions/loop/index.js';
import { parseResumeChoice, renderResumePrompt } from './resume-prompt.js';

const PAUSED = fileURLToPath(new URL('../../../test/fixtures/prp-session/paused', import.meta.url));
const NOW = new Date('2026-03-01T12:00:00Z');

async function pausedReport(overrides: Partial<LoopReport> = {}): Promise<LoopReport> {
  await using world = await loopWorld();
  cpSync(PAUSED, world.directory, { recursive: true });
  const view = world.loops.get();
  if (view === undefined) throw new Error('no session');
  return { ...reportOf(view, NOW), ...overrides };
}

describe('the resume prompt', () => {
  verifies('L08', 'has the published lines, with a straight border', async () => {
    const text = renderResumePrompt(await pausedReport(), NOW);
    expect(text).toBe(
      [
        '╔════════════════════════════════════════════════════════════╗',
        '║                 PREVIOUS SESSION DETECTED                  ║',
        '╠════════════════════════════════════════════════════════════╣',
        '║                                                            ║',
        '║  Session ID:  a1b2c3d4-...                                 ║',
        '║  PRP:         login.md                                     ║',
        '║  Phase:       GREEN                                        ║',
        '║  Iteration:   5                                            ║',
        '║  Last Active: 32 minutes ago                               ║',
        '║  Status:      PAUSED (User interrupt)                      ║',
        '║                                                            ║',
        '║  Progress:                                                 ║',
        '║  ├── RED:      ✅ Complete (10 tests generated)            ║',
        '║  └── GREEN:    ⏳ In progress (6/10 tests passing)         ║',
        '║                                                            ║',
        '╠════════════════════════════════════════════════════════════╣',
        '║  [R]esume  - Continue from where you left off              ║',
        '║  [N]ew     - Start fresh (discards progress)               ║',
        '║  [A]bort   - Cancel execution                              ║',
        '╚════════════════════════════════════════════════════════════╝',
      ].join('\n'),
    );
  });

  it('cuts a reason that does not fit where its details begin', async () => {
    const statusReason = 'process 4711 is gone: its number now belongs to another process';
    const text = renderResumePrompt(await pausedReport({ status: 'suspended', statusReason }), NOW);
    expect(text).toContain('║  Status:      SUSPENDED (process 4711 is gone)             ║');
  });

  verifies('L08', 'keeps its border and its lines whatever the names are', async () => {
    const names = ['漢字の計画.md', 'e\u0301'.repeat(80), '👩‍👩‍👧 plan.md', ...ATTACKS];
    const lines = renderResumePrompt(await pausedReport(), NOW).split('\n').length;
    for (const name of names) {
      const text = renderResumePrompt(
        await pausedReport({ prpFile: `docs/${name.replaceAll('/', '')}`, statusReason: name }),
        NOW,
      );
      expect(text.split('\n')).toHaveLength(lines);
      for (const line of text.split('\n')) expect(columnsOf(line)).toBe(62);
    }
  });

  it.each([
    ['r', 'resume'],
    ['R', 'resume'],
    [' new\n', 'new'],
    ['A', 'abort'],
    ['', undefined],
    ['q', undefined],
  ])('%j is %s', (text, choice) => {
    expect(parseResumeChoice(text)).toBe(choice);
  });

  verifies('L08', 'is the same as data without a terminal', async () => {
    await using world = await loopWorld();
    expect(offerOf(world.loops.detect(PLAN))).toMatchObject({
      found: false,
      action: 'create_new',
      choices: ['new'],
    });
    cpSync(PAUSED, world.directory, { recursive: true });
    expect(offerOf(world.loops.detect(PLAN))).toEqual({
      found: true,
      sessionId: 'a1b2c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
      action: 'offer_resume',
      expiryAction: null,
      reason: null,
      choices: ['resume', 'new', 'abort'],
      warnings: [],
    });
  });
});
