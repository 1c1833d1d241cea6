import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { browserStage, SIZES, verifiesOnPage } from '../support/browser-world.js';
import { EVENTFUL, type EventfulRun, eventfulRun } from '../support/eventful-run.js';
import { until } from '../support/processes.js';
import { done } from '../support/run-world.js';

const world = browserStage();

/** Where pictures are put: scripts/page-pictures.mjs says so. */
const DIRECTORY = process.env.HOLDFAST_PAGE_PICTURES;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What sticks out to the right, where anything does. */
const TOO_WIDE = `document.documentElement.scrollWidth === document.documentElement.clientWidth ? [] : [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !one.closest('.scrolls')).map((one) => one.outerHTML.slice(0, 120))`;
/** Charts that something else keeps from being as wide as there is room. */
const SQUEEZED = `[...document.querySelectorAll('.report .chart')].filter((one) => Math.max(...[...one.querySelectorAll('svg')].map((svg) => svg.getBoundingClientRect().width)) < one.getBoundingClientRect().width * 0.8).map((one) => one.className)`;
/** How many iterations have something that cannot be seen. */
const FOLDED = `[...document.querySelectorAll('.report .iteration .facts')].filter((one) => !one.checkVisibility({ contentVisibilityAuto: true })).length`;
/** Names in a chart that stick out of it, or were cut though they are short. */
const CUT_NAMES = `[...document.querySelectorAll('.report svg text')].filter((one) => one.getBoundingClientRect().width > 0 && (one.getBoundingClientRect().left < one.ownerSVGElement.getBoundingClientRect().left - 1 || one.textContent.endsWith('…'))).map((one) => one.textContent)`;
const OPEN_ALL = "for (const one of document.querySelectorAll('.report details')) one.open = true";

/** What axe finds, with every fold open. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(OPEN_ALL);
  await page.evaluate(`typeof axe === 'undefined' ? void (() => { ${AXE} })() : undefined`);
  return page.evaluate<string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`,
  );
}

let run: Promise<EventfulRun> | undefined;

/** The run that everything here is about, made once. */
function eventful(): Promise<EventfulRun> {
  const { machine, play } = world();
  play('claude', EVENTFUL);
  run ??= eventfulRun(machine, machine.dir.at('invoices'), 'claude');
  return run;
}

/** A file opened as a person would open it, and what it did that it should not. */
async function openFile(
  html: string,
  { size, theme }: { size: keyof typeof SIZES; theme: 'dark' | 'light' },
): Promise<{ page: Page; trouble: string[]; close: () => Promise<void> }> {
  const path = world().machine.dir.at(`report-${size}-${theme}.html`);
  writeFileSync(path, html);
  const context = await world().browser.newContext({ viewport: SIZES[size], colorScheme: theme });
  const page = await context.newPage();
  const trouble: string[] = [];
  const url = pathToFileURL(path).href;
  page.on('console', (message) => trouble.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => trouble.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    if (request.url() !== url) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, trouble, close: () => context.close() };
}

async function picture(page: Page, name: string, isWhole: boolean): Promise<void> {
  const png = await page.screenshot({ animations: 'disabled', fullPage: isWhole });
  expect(png.length).toBeGreaterThan(5_000);
  if (DIRECTORY === undefined) return;
  mkdirSync(DIRECTORY, { recursive: true });
  writeFileSync(join(DIRECTORY, `${name}.png`), png);
}

describe('the report', () => {
  for (const theme of ['light', 'dark'] as const)
    for (const size of ['phone', 'desktop'] as const)
      verifiesOnPage('W06', `as a file: no request, no error, axe clean, ${size}, ${theme}`, async () => {
        const { id } = await eventful();
        const { stdout } = await world().machine.run(['report', id, '--html', '-']);
        const { page, trouble, close } = await openFile(stdout, { size, theme });
        if (size === 'desktop' && theme === 'light') await picture(page, 'report-desktop-light', true);
        if (size === 'phone' && theme === 'dark') await picture(page, 'report-phone-dark', false);
        expect(await page.evaluate(TOO_WIDE)).toEqual([]);
        expect(await page.evaluate(CUT_NAMES)).toEqual([]);
        expect(await page.evaluate(FOLDED)).not.toBe(0);
        await page.emulateMedia({ media: 'print' });
        // What is shown anew is there with the next frame.
        await until(async () => (await page.evaluate(FOLDED)) === 0);
        await page.emulateMedia({ media: 'screen' });
        expect(trouble).toEqual([]);
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate(TOO_WIDE)).toEqual([]);
        await close();
      });

  for (const theme of ['light', 'dark'] as const)
    for (const size of ['phone', 'desktop'] as const)
      verifiesOnPage('W06', `on the page: the same pictures, axe clean, ${size}, ${theme}`, async () => {
        const { id } = await eventful();
        await using device = await world().open({ size, theme, can: 'view', path: `/r/${id}` });
        await device.page.getByRole('link', { name: 'Report' }).click();
        await device.page.getByRole('heading', { name: 'How it went' }).waitFor();
        if (theme === 'light') await picture(device.page, `report-page-${size}`, false);
        if (theme === 'dark' && size === 'phone') {
          await device.page.evaluate(
            "document.querySelector('.report .charts, .report .chart').scrollIntoView()",
          );
          await picture(device.page, 'report-charts-phone-dark', false);
        }
        expect(await device.page.evaluate(SQUEEZED)).toEqual([]);
        const { stdout } = await world().machine.run(['report', id, '--html', '-']);
        const file = await openFile(stdout, { size, theme });
        const PICTURES = "[...document.querySelectorAll('.report svg')].map((one) => one.outerHTML)";
        expect(await device.page.evaluate(PICTURES)).toEqual(await file.page.evaluate(PICTURES));
        await file.close();
        expect(await violations(device.page)).toEqual([]);
        expect(await device.page.evaluate(TOO_WIDE)).toEqual([]);
        expect(device.trouble()).toEqual([]);
      });

  verifiesOnPage('W06', 'S6: what an agent wrote is text, in the file and on the page', async () => {
    const { play, run: start, machine, open } = world();
    const name = '<img src=x onerror=alert(1)>"><svg onload=alert(2)>\u202e';
    const words = `${name}</script><script>alert(3)</script></title></style><a href="javascript:alert(4)">x</a>`;
    play('attacker', [
      { steps: [{ say: `${words}\n` }, { write: { path: name, content: words } }, done] },
      { steps: [{ fail: words }] },
    ]);
    const id = await start(name, 'attacker', {
      plan: `docs/${name}.md`,
      title: words,
      args: ['--max-iterations', '1'],
      isToEnd: true,
    });
    const { stdout } = await machine.run(['report', id, '--html', '-']);
    const { page, trouble, close } = await openFile(stdout, { size: 'desktop', theme: 'light' });
    await page.evaluate(OPEN_ALL);
    const BAD = `[...document.querySelectorAll('img, script, iframe, a, object, .report style, svg svg, [onload], [onerror]')].map((one) => one.outerHTML)`;
    expect(await page.evaluate(BAD)).toEqual([]);
    await page.getByText('</script><script>alert(3)').first().waitFor();
    expect(trouble).toEqual([]);
    await close();
    await using device = await open({ path: `/r/${id}/report`, can: 'view' });
    await device.page.getByRole('heading', { name: 'Iterations' }).waitFor();
    expect(
      await device.page.evaluate(BAD.replace(', a,', ', .report a,').replace('script, ', '.report script, ')),
    ).toEqual([]);
    expect(device.trouble()).toEqual([]);
  });

  verifiesOnPage('W06', 'of no run says so', async () => {
    await using device = await world().open({ path: '/r/00000000-0000-4000-8000-000000000000/report' });
    await device.page.getByText('There is no such run.').waitFor();
    expect(device.trouble()).toEqual([]);
  });
});
