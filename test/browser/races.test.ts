import { describe, expect } from 'vitest';
import { browserStage, IPHONE, type PageDevice, verifiesOnPage } from '../support/browser-world.js';
import { connectAgent } from '../support/mcp-agent.js';
import { SeededRandom } from '../support/seeded-random.js';

const world = browserStage();

const ROUNDS = 30;
/** Rounds in which the server is killed while everybody answers. */
const KILLS = [7, 15, 23];
const OPTIONS = [{ label: 'Phone' }, { label: 'Desk' }, { label: 'Terminal' }];

/** What a page says of a set that is over, when it was told so. */
async function seenBy(device: PageDevice, id: string): Promise<string> {
  return device.page.evaluate<string>(
    `fetch('/api/questions/${id}', { headers: { 'x-holdfast-key': localStorage.getItem('holdfast.key') } })
      .then((reply) => reply.json()).then(({ set }) => set.answers[0].selectedOption)`,
  );
}

describe('who answers first', () => {
  verifiesOnPage(
    'W02',
    `wins: ${ROUNDS} sets of an MCP client, two browsers and a terminal at once, ${KILLS.length} kills of the server; all agree, none is lost`,
    async () => {
      const { machine, open, killServer, startServer, web } = world();
      const random = new SeededRandom(18);
      await using agent = await connectAgent(machine);
      await using phone = await open({ userAgent: IPHONE });
      await using desk = await open({ size: 'desktop' });
      const devices = { Phone: phone, Desk: desk };
      const winners = new Map<string, number>();
      for (let round = 1; round <= ROUNDS; round++) {
        const title = `Round ${round}`;
        const asked = await agent.ask({
          questions: [{ title, prompt: 'Who is first?', options: OPTIONS }],
          nonBlocking: true,
        });
        const id: string = asked.session.sessionId;
        const collected = agent.fetch({ session_id: id, blocking: true });
        for (const [label, device] of Object.entries(devices))
          await device.card(id).getByRole('radio', { name: label }).check();
        const acts = [
          ...Object.values(devices).map((device) => () => press(device, id)),
          () => machine.aside(['answer', id, '--option', 'Terminal']),
        ].sort(() => random.next() - 0.5);
        const isKilled = KILLS.includes(round);
        const under = acts.map((act) => act());
        if (isKilled) await killServer();
        await Promise.all(under);
        if (isKilled) await startServer();
        const { outcome } = await web.services.questions.get(id);
        expect(outcome).toMatchObject({ status: 'completed', answers: [{ questionIndex: 0 }] });
        const winner = outcome.status === 'completed' ? (outcome.answers[0]?.selectedOption ?? '') : '';
        winners.set(winner, (winners.get(winner) ?? 0) + 1);
        expect((await collected).session).toMatchObject({ answers: [{ selectedOption: winner }] });
        for (const [label, device] of Object.entries(devices)) {
          await device.card(id).waitFor({ state: 'detached' });
          expect(await seenBy(device, id)).toBe(winner);
          if (label !== winner) await letGo(device, title, winner);
        }
      }
      expect([...winners.values()].reduce((sum, count) => sum + count, 0)).toBe(ROUNDS);
      expect(winners.size).toBeGreaterThan(1);
      expect(
        (await web.services.questions.list()).filter(({ outcome }) => outcome.status === 'pending'),
      ).toEqual([]);
      expect([...phone.trouble(), ...desk.trouble()]).toEqual([]);
    },
  );
});

/** The card may be gone before it is pressed: then somebody else was first. */
async function press(device: PageDevice, id: string): Promise<void> {
  await device.page.evaluate(`void document.querySelector('[data-card="${id}"] [data-key=answer]')?.click()`);
}

/** Who lost is told who won, and what they had chosen. */
async function letGo(device: PageDevice, title: string, winner: string): Promise<void> {
  const article = device.page.locator('.settled', { hasText: title });
  await article.locator('.answers', { hasText: winner }).waitFor();
  await article.getByRole('button', { name: 'Discard' }).click();
  await article.waitFor({ state: 'detached' });
}
