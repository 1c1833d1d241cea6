import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { axeFindings } from '../support/axe.js';
import { browserStage, verifiesOnPage, wordsOf } from '../support/browser-world.js';
import { HANG } from '../support/detached-world.js';
import { type FleetMachines, fleetMachines } from '../support/fleet-machines.js';
import { POSTGRES } from '../support/postgres-place.js';

const DIRECTORY = process.env.HOLDFAST_FLEET_PICTURES;

async function picture(page: Page, name: string): Promise<void> {
  if (DIRECTORY === undefined) return;
  mkdirSync(DIRECTORY, { recursive: true });
  await page.screenshot({ path: join(DIRECTORY, `${name}.png`), fullPage: true });
}

describe.skipIf(POSTGRES === undefined)('a run of another machine on the page', () => {
  let fleet: FleetMachines | undefined;
  beforeAll(async () => {
    if (POSTGRES !== undefined) fleet = await fleetMachines([HANG]);
  });
  const world = browserStage(() => {
    if (fleet === undefined) throw new Error('no fleet');
    return fleet.away;
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
  });

  verifiesOnPage(
    'F02',
    'is in the list with its machine; its page says what can be seen from here, and pauses it there',
    async () => {
      const started = await fleet?.home.go(['--detach', '--json', '--attended', '--new']);
      const run: string = JSON.parse(started?.stdout ?? '').sessionId;
      await using phone = await world().open({ path: '/runs' });
      await using desktop = await world().open({ path: '/runs', size: 'desktop', theme: 'dark' });
      const listed = phone.page.locator(`a[href="/r/${run}"]`);
      await listed.waitFor();
      expect(await wordsOf(listed)).toContain('workstation');
      await picture(phone.page, 'runs-phone-light');
      await picture(desktop.page, 'runs-desktop-dark');
      expect(await axeFindings(phone.page)).toEqual([]);

      await listed.click();
      await phone.page.getByText('This run is on workstation').waitFor();
      await phone.page.getByRole('button', { name: 'Pause' }).click();
      await phone.page.getByText('Arrived on workstation. Asked it to pause.').waitFor();
      await phone.page.locator('.connection.live').waitFor();
      // What only its journal could tell is not made up.
      expect(await wordsOf(phone.page.locator('.numbers'))).toMatch(/Tests[\s\S]*Phase\s*RED/);
      expect(await phone.page.locator('.numbers').getByText('Now').count()).toBe(0);
      await picture(phone.page, 'run-phone-light');
      await desktop.page.locator(`a[href="/r/${run}"]`).click();
      await desktop.page.getByText('This run is on workstation').waitFor();
      await picture(desktop.page, 'run-desktop-dark');
      expect([await axeFindings(phone.page), await axeFindings(desktop.page)]).toEqual([[], []]);
      // The journal is not asked for: the stream of a page that does would be refused again and again.
      expect(phone.requests.filter((one) => one.includes('?run='))).toEqual([]);
      expect([phone.trouble(), desktop.trouble()]).toEqual([[], []]);
    },
  );
});
