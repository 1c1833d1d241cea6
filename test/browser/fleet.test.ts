import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { axeFindings } from '../support/axe.js';
import { browserStage, verifiesOnPage, wordsOf } from '../support/browser-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { twoMachines } from '../support/two-machines.js';

/** Where pictures are put; without it nobody looks at them. */
const DIRECTORY = process.env.HOLDFAST_FLEET_PICTURES;
const ASKED = JSON.stringify([
  {
    title: 'Store',
    prompt: 'Where do refresh tokens go? `sessions` has a user already.',
    options: [{ label: 'sessions (recommended)' }, { label: 'refresh_tokens', description: 'new table' }],
  },
]);

async function picture(page: Page, name: string): Promise<void> {
  if (DIRECTORY === undefined) return;
  mkdirSync(DIRECTORY, { recursive: true });
  await page.screenshot({ path: join(DIRECTORY, `${name}.png`), fullPage: true });
}

describe.skipIf(POSTGRES === undefined)('a question of another machine on the page', () => {
  const fleet = twoMachines();
  const world = browserStage(() => fleet().laptop);

  verifiesOnPage(
    'F02',
    'shows its machine; what is sent is on its way, comes back with what was typed, and arrives',
    async () => {
      const { workstation, quiet } = fleet();
      const id = (await workstation.run(['ask', ASKED, '--no-wait'])).stdout.trim();
      await workstation.run(['questions']);
      await quiet();
      await using phone = await world().open();
      const card = phone.card(id);
      await card.waitFor();
      expect(await wordsOf(card.locator('.card-head'))).toContain('workstation');
      expect(await phone.page.title()).toBe('(1) Holdfast');
      await picture(phone.page, 'card-phone-light');
      expect(await axeFindings(phone.page)).toEqual([]);

      await card.getByRole('textbox', { name: /Own words/ }).fill('a table of its own');
      await card.getByRole('button', { name: 'Answer' }).click();
      await card.getByText('What you decided is on its way to workstation').waitFor();
      await card.getByText('Sent:').waitFor();
      await card.getByText('a table of its own').waitFor();
      await until(async () => (await phone.page.title()) === 'Holdfast');
      await using desktop = await world().open({ size: 'desktop', theme: 'dark' });
      await desktop.card(id).getByText('is on its way to workstation').waitFor();
      await until(() => phone.requests.some((one) => one.startsWith('PUT ')));
      await card.getByText('Sent:').waitFor();
      await picture(phone.page, 'sent-phone-light');
      await picture(desktop.page, 'sent-desktop-dark');
      expect([await axeFindings(phone.page), await axeFindings(desktop.page)]).toEqual([[], []]);

      await card.getByRole('button', { name: 'Take back' }).click();
      const words = card.getByRole('textbox', { name: /Own words/ });
      await words.waitFor();
      expect(await words.inputValue()).toBe('a table of its own');
      await card.getByRole('button', { name: 'Answer' }).click();
      await card.getByText('is on its way to workstation').waitFor();
      await workstation.run(['questions']);
      await phone.page.getByText('It arrived on workstation').waitFor();
      expect(workstation.readFile(id, 'answers.json').answers).toMatchObject([
        { customText: 'a table of its own' },
      ]);
      // Nothing that was typed is left over: it counted.
      expect(await phone.page.getByText('What you began here').count()).toBe(0);
      expect([phone.trouble(), desktop.trouble()]).toEqual([[], []]);
    },
  );

  verifiesOnPage(
    'F05',
    'without the database: the list says how old it is, and an answer that it is not stored',
    async () => {
      const { db, workstation, quiet } = fleet();
      const id = (await workstation.run(['ask', ASKED, '--no-wait'])).stdout.trim();
      await workstation.run(['questions']);
      await quiet();
      await using desktop = await world().open({ size: 'desktop' });
      await using phone = await world().open({ theme: 'dark' });
      const card = phone.card(id);
      await card.waitFor();
      await db.stop();
      await phone.page.getByText('Other machines cannot be read').waitFor();
      await phone.page.getByText('old, and answers to them are not stored').waitFor();
      await card.getByRole('radio', { name: 'refresh_tokens' }).check();
      await card.getByRole('button', { name: 'Answer' }).click();
      await card.getByText('Not stored').waitFor();
      expect(await card.getByRole('radio', { name: 'refresh_tokens' }).isChecked()).toBe(true);
      await desktop.page.getByText('Other machines cannot be read').waitFor();
      await picture(phone.page, 'away-phone-dark');
      await picture(desktop.page, 'away-desktop-light');
      expect([await axeFindings(phone.page), await axeFindings(desktop.page)]).toEqual([[], []]);
      await db.start();
      await until(async () => (await phone.page.getByText('Other machines cannot be read').count()) === 0);
      await card.getByRole('button', { name: 'Answer' }).click();
      await card.getByText('is on its way to workstation').waitFor();
      expect([phone.trouble(), desktop.trouble()]).toEqual([[], []]);
    },
  );
});
