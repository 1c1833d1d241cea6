import { describe, expect, it } from 'vitest';
import { loopWorld, PLAN } from '../../../test/support/loop-world.js';
import type { RunStatus } from '../../run/index.js';
import { type LoopReport, type ResumeOffer, reportOf } from '../../sessions/loop/index.js';
import { renderLoop } from './loop.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const plain = (text: string) => text;
const STYLE = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };
const OFFER: ResumeOffer = {
  found: true,
  sessionId: null,
  action: 'create_new',
  expiryAction: null,
  reason: null,
  warnings: [],
  choices: [],
};
const NOBODY = { waitsFor: null, answered: [], answeredBy: {}, next: [], log: null };

async function shown(more: Partial<RunStatus & LoopReport>): Promise<string> {
  await using world = await loopWorld();
  using _loop = await world.loops.create(PLAN);
  const view = world.loops.get();
  if (view === undefined) throw new Error('no session');
  const report = { ...reportOf(view, NOW), ...NOBODY, ...more };
  return renderLoop({ report, offer: OFFER, faults: [] }, NOW, STYLE);
}

describe('a loop in a terminal', () => {
  it('shows a permission as one readable line, with the command unchanged', async () => {
    const prompt = 'claude asks to use **Bash**:\n\n- command: ``echo `id` **x**``\n\nDeny or allow.';
    const question = { id: '0'.repeat(36), title: 'Permission', prompt, from: 'agent' as const };
    const text = await shown({
      waitsFor: { kind: 'answer', reason: 'your answer', since: null, until: null, question },
    });
    expect(text).toContain(
      'question    00000000 Permission: claude asks to use Bash: command: echo `id` **x** Deny or allow.\n',
    );
  });

  it('says how long it is waiting, then why', async () => {
    const until = new Date(NOW.getTime() + 60_000).toISOString();
    const reason = "the agent's service is overloaded";
    const text = await shown({ waitsFor: { kind: 'limit', reason, since: null, until, question: null } });
    expect(text).toMatch(/^waiting {5}until \d\d:\d\d:\d\d: the agent's service is overloaded$/m);
  });
});
