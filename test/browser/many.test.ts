import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { browserStage, isLive, verifiesOnPage } from '../support/browser-world.js';
import { PATIENT } from '../support/deadlines.js';
import { multiplySet } from '../support/many-sets.js';
import { question } from '../support/question-world.js';

const world = browserStage();
const CARDS = 200;
const SESSIONS = 10_000;

const nodes = `document.querySelectorAll('*').length`;

/** Copies a set that is over, with its answer. */
function multiplyEnded(directory: string, id: string, count: number): void {
  for (let number = 1; number < count; number++) {
    const copy = randomUUID();
    cpSync(join(directory, id), join(directory, copy), { recursive: true });
    for (const name of ['request.json', 'status.json', 'answers.json']) {
      const path = join(directory, copy, name);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(id, copy));
    }
  }
}

describe('much of everything', () => {
  verifiesOnPage(
    'W01',
    `${CARDS} cards and ${SESSIONS} sessions: few requests, a page of a bounded size, and each card can be answered`,
    async () => {
      const { ask, machine, open, origin, killServer, startServer, statusOf, web } = world();
      const over = await ask([question({ title: 'Over' })]);
      await web.services.questions.answer(over, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
      const first = await ask([question({ title: 'Number 1 of many' })]);
      await killServer();
      multiplyEnded(machine.questions, over, SESSIONS);
      multiplySet(machine.questions, first, CARDS);
      await startServer();
      await using phone = await open();
      await vi.waitFor(
        async () => expect(await phone.page.locator('[data-card]:not(.settled)').count()).toBe(CARDS),
        PATIENT,
      );
      expect(await phone.page.title()).toBe(`(${CARDS}) Holdfast`);
      expect(await phone.page.evaluate<number>(nodes)).toBeLessThan(CARDS * 60);
      // Its own files, the sign-in and the stream; none for a card.
      expect(phone.requests.length).toBeLessThanOrEqual(10);
      const last = phone.page.getByRole('article', { name: `asks: Number ${CARDS} of many` });
      await last.getByRole('radio', { name: 'SQLite' }).check();
      const id = (await last.getAttribute('data-card')) ?? '';
      await last.getByRole('button', { name: 'Answer' }).click();
      await phone.page.getByText('Answered by you, here').waitFor();
      expect(await statusOf(id)).toBe('completed');
      expect(await phone.page.locator('[data-card]:not(.settled)').count()).toBe(CARDS - 1);
      await phone.page.goto(`${origin}/runs`);
      await isLive(phone.page);
      await phone.page.getByRole('heading', { name: 'Runs' }).waitFor();
      expect(await phone.page.evaluate<number>(nodes)).toBeLessThan(CARDS * 60);
      expect(phone.trouble()).toEqual([]);
    },
  );
});
