import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { browserStage, isLive, SIZES, type Size, verifiesOnPage } from '../support/browser-world.js';
import { PATIENT } from '../support/deadlines.js';
import { question } from '../support/question-world.js';
import { done, say } from '../support/run-world.js';

const world = browserStage();

/** Put in by the debugger's way, which the policy of the page does not hold up. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds, as lines that say what and where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`typeof axe === 'undefined' ? void (() => { ${AXE} })() : undefined`);
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** How far the page can be scrolled sideways, and what can be pressed and is smaller than a finger. */
const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const TOO_SMALL = `[...document.querySelectorAll('button, a, input, textarea, summary')]
  .map((element) => element.matches('input[type=radio], input[type=checkbox]') ? element.closest('label') ?? element : element)
  .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest('.hidden') && !element.matches('.skip'))
  .filter((element) => !(element.matches('a') && element.closest('.empty')))
  .map((element) => [element, element.getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 0 && (height < 43.5 || width < 43.5))
  .map(([element, { width, height }]) => element.outerHTML.slice(0, 120) + ' ' + Math.round(width) + '×' + Math.round(height))`;

/** Everything there is to see: each kind of card, runs that work, wait and have ended. */
async function everything() {
  const { play, run, ask, askPermission } = world();
  play('still', [
    {
      steps: [
        say('I look at `src/auth/refresh.ts` first.\n'),
        { run: 'true' },
        say('Then the tests.\n'),
        { hang: true },
      ],
    },
  ]);
  play('doer', [{ steps: [{ write: { path: 'a.txt', content: 'a' } }, done] }]);
  const works = await run('shop', 'still');
  const ended = await run('blog', 'doer', { isToEnd: true });
  const long = 'a-very-long-word-without-any-place-to-break-it/'.repeat(6);
  const set = await ask([
    question({
      title: 'Table',
      prompt: `Which table?\n\n\`\`\`sql\nselect * from ${long}\n\`\`\`\n- one\n- two`,
    }),
    question({
      title: 'Checks',
      multiSelect: true,
      options: [{ label: long }, { label: 'types (recommended)', description: long }],
    }),
  ]);
  const permission = await askPermission(`**Bash**\n\n\`\`\`\nnpm install ${long}\n\`\`\``, {
    withAlways: true,
  });
  return { works, ended, set, permission };
}

describe('on every page, width and theme', () => {
  let things: Awaited<ReturnType<typeof everything>> | undefined;

  for (const theme of ['light', 'dark'] as const)
    for (const size of Object.keys(SIZES) as Size[])
      verifiesOnPage(
        'W05',
        `axe finds nothing, nothing scrolls sideways, everything is large enough: ${theme}, ${SIZES[size].width} px`,
        async () => {
          things ??= await everything();
          const { works, ended, set, permission } = things;
          const { origin, stranger, open } = world();
          const found: string[] = [];
          const look = async (page: Page, what: string) => {
            for (const line of await violations(page)) found.push(`${what}: ${line}`);
            if ((await page.evaluate<number>(TOO_WIDE)) > 0) found.push(`${what}: wider than the screen`);
            if (size !== 'desktop')
              for (const line of await page.evaluate<string[]>(TOO_SMALL))
                found.push(`${what}: too small: ${line}`);
          };
          await using outside = await stranger({ size, theme });
          await outside.page.goto(origin);
          await outside.page.getByText('holdfast web link').waitFor();
          await look(outside.page, 'sign-in');
          await using device = await open({ size, theme });
          const { page } = device;
          const go = async (path: string, there: string) => {
            await page.goto(`${origin}${path}`);
            await isLive(page);
            await page.locator(there).first().waitFor();
          };
          await device.card(permission).waitFor();
          await look(page, 'inbox');
          await device.card(set).getByRole('button', { name: 'Answer' }).click();
          await page.locator('.fault').first().waitFor();
          await look(page, 'inbox with a fault');
          await device.card(set).getByRole('button', { name: 'Reject…' }).click();
          await look(page, 'sheet');
          await page.keyboard.press('Escape');
          await page.getByRole('button', { name: 'Settings' }).click();
          await look(page, 'settings');
          await page.keyboard.press('Escape');
          await page.keyboard.press('?');
          await page.getByRole('dialog', { name: 'Keys' }).waitFor();
          await look(page, 'keys');
          await page.keyboard.press('Escape');
          await go(`/q/${permission}`, '.whole');
          await look(page, 'one question');
          await go('/q/00000000-0000-4000-8000-000000000000', '.empty');
          await look(page, 'no such question');
          await go('/runs', 'a.row');
          await look(page, 'runs');
          await go(`/r/${works}`, '.said');
          await look(page, 'a run that works');
          await go(`/r/${ended}`, 'p.doing');
          await look(page, 'a run that has ended');
          expect(found).toEqual([]);
          expect(device.trouble()).toEqual([]);
        },
      );

  for (const theme of ['light', 'dark'] as const)
    verifiesOnPage('W05', `axe finds nothing while the server is away: ${theme}`, async () => {
      const { ask, open, killServer, startServer } = world();
      const id = await ask();
      await using phone = await open({ theme });
      await phone.card(id).getByRole('textbox').fill('x');
      await killServer();
      await phone.page.getByRole('button', { name: 'Try now' }).waitFor();
      await phone.card(id).getByRole('button', { name: 'Answer' }).click();
      await phone.page.getByText('Not sent').waitFor();
      const found = await violations(phone.page);
      await startServer();
      expect(found).toEqual([]);
    });
});

describe('the tool itself', () => {
  verifiesOnPage('W05', 'axe is at work: a button without a name is found', async () => {
    await using phone = await world().open();
    await phone.page.evaluate(`void document.querySelector('main').append(document.createElement('button'))`);
    expect(await violations(phone.page)).toEqual([expect.stringMatching(/^button-name: /)]);
  });
});

describe('by keyboard alone', () => {
  const focused = (page: Page) =>
    page.evaluate<string>(
      `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? '').trim() || document.activeElement.tagName`,
    );

  verifiesOnPage(
    'W05',
    'a question is answered with Tab, arrows and Enter, in the order of the screen',
    async () => {
      const id = await world().ask([question({ title: 'Keyboard' })]);
      await using desk = await world().open({ size: 'desktop', path: `/q/${id}` });
      const { page } = desk;
      await desk.card(id).waitFor();
      const order: string[] = [];
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Skip to the content');
      for (let presses = 0; presses < 30; presses++) {
        order.push(
          await page.evaluate<string>(
            `document.activeElement.matches('input, textarea') ? document.activeElement.type : document.activeElement.innerText.trim()`,
          ),
        );
        if (order.at(-1) === 'Reject…') break;
        await page.keyboard.press('Tab');
      }
      expect(order.slice(-5)).toEqual(['radio', 'textarea', 'Answer', 'Later', 'Reject…']);
      for (const _ of ['Later', 'Answer', 'own words', 'options']) await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate('document.activeElement.checked')).toBe(true);
      await page.keyboard.press('Enter');
      await page.getByText('Answered by you, here').waitFor();
      expect(desk.trouble()).toEqual([]);
    },
  );

  verifiesOnPage(
    'W01',
    'the keys: j and k, a number, o, Ctrl+Enter, r, l, g r, /, ?, Esc; and none while something is typed',
    async () => {
      const ids = [
        await world().ask([question({ title: 'Key one' })]),
        await world().ask([question({ title: 'Key two' })]),
      ];
      const [one = '', two = ''] = ids;
      await using desk = await world().open({ size: 'desktop' });
      const { page } = desk;
      for (const id of ids) await desk.card(id).waitFor();
      const there = () =>
        page.evaluate<string>(`document.activeElement.closest('[data-card]')?.dataset.card ?? ''`);
      const until = async (id: string, key: string) => {
        for (let presses = 0; presses < 40 && (await there()) !== id; presses++)
          await page.keyboard.press(key);
        expect(await there()).toBe(id);
      };
      await until(two, 'j');
      await until(one, 'k');
      await page.keyboard.press('2');
      expect(await desk.card(one).getByRole('radio', { name: 'SQLite' }).isChecked()).toBe(true);
      expect(await world().statusOf(one)).toBe('pending');
      await page.keyboard.press('o');
      await page.keyboard.type('grok jk?12/');
      expect(await desk.card(one).getByRole('textbox').inputValue()).toBe('grok jk?12/');
      await page.keyboard.press('Control+Enter');
      await page.getByText('Answered by you, here').waitFor();
      expect((await world().web.services.questions.get(one)).outcome).toMatchObject({
        answers: [{ customText: 'grok jk?12/' }],
      });
      await until(two, 'j');
      await page.keyboard.press('r');
      await page.getByRole('dialog', { name: 'Reject this question?' }).waitFor();
      await page.keyboard.press('Escape');
      await until(two, 'j');
      await page.keyboard.press('l');
      await page.getByRole('dialog', { name: 'Show it again' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('r');
      await page.getByRole('searchbox').waitFor();
      await page.keyboard.press('/');
      expect(await page.evaluate(`document.activeElement.matches('[type=search]')`)).toBe(true);
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('i');
      await desk.card(two).waitFor();
      expect(desk.trouble()).toEqual([]);
    },
  );

  verifiesOnPage('W05', 'keys of one letter can be switched off', async () => {
    await using desk = await world().open({ size: 'desktop' });
    const { page } = desk;
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('checkbox', { name: 'Single-letter keys' }).uncheck();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.reload();
    await isLive(page);
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  verifiesOnPage(
    'W05',
    'the focus is never lost: after an answer, a sheet and a change of place it is somewhere that says something',
    async () => {
      const id = await world().ask([question({ title: 'Focus' })]);
      await using desk = await world().open({ size: 'desktop', path: `/q/${id}` });
      const { page } = desk;
      const later = desk.card(id).getByRole('button', { name: 'Later' });
      await later.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      expect(await focused(page)).toBe('Later');
      await desk.card(id).getByRole('radio', { name: 'SQLite' }).check();
      await page.keyboard.press('Enter');
      await page.getByText('Answered by you, here').waitFor();
      await vi.waitFor(async () => expect(await focused(page)).not.toBe('BODY'), PATIENT);
    },
  );
});

describe('for a screen reader', () => {
  verifiesOnPage(
    'W05',
    'what an agent says is in no live region; only the connection and news are',
    async () => {
      const { play, run, open } = world();
      play('talker', [{ steps: [say('Streamed words.\n'), { hang: true }] }]);
      const id = await run('reader', 'talker');
      await using phone = await open({ path: `/r/${id}` });
      await phone.page.locator('.said', { hasText: 'Streamed words.' }).waitFor();
      const regions = await phone.page.evaluate<string[]>(
        `[...document.querySelectorAll('[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log], output')].map((region) => region.innerText)`,
      );
      expect(regions.length).toBeLessThanOrEqual(2);
      expect(regions.join(' ')).not.toContain('Streamed');
      await phone.page.getByRole('button', { name: 'Read last message' }).click();
      expect(await phone.page.evaluate('document.activeElement.innerText.trim()')).toBe('Streamed words.');
    },
  );
});
