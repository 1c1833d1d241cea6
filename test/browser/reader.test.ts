import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { openConversations } from '../../src/app/sessions/open-conversations.js';
import attack from '../fixtures/attack-strings.json' with { type: 'json' };
import { browserStage, SIZES, verifiesOnPage, wordsOf } from '../support/browser-world.js';
import { PATIENT } from '../support/deadlines.js';
import { done, say } from '../support/run-world.js';

const world = browserStage();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const FIRST_SEEN = `[...document.querySelectorAll('.turn')].find((row) => row.getBoundingClientRect().bottom > 80)?.id`;
const COUNT = `document.querySelectorAll('.turn').length`;

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`typeof axe === 'undefined' ? void (() => { ${AXE} })() : undefined`);
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const conversations = () => openConversations(world().web.services);
const pathOf = (id: string) => join(world().web.services.config.layout.conversations, `${id}.jsonl`);

/** A conversation with these turns, in the project `shop`. */
async function talk(id: string, texts: readonly string[]): Promise<void> {
  using conversation = await conversations().create({
    id,
    agent: 'claude',
    workingDirectory: world().machine.dir.at('shop'),
  });
  for (const [index, text] of texts.entries())
    if (index % 2 === 0) conversation.addUserTurn(text);
    else conversation.addAssistantTurn(text);
  conversation.setStatus('completed');
}

function flip(path: string, offset: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, '~', offset);
  closeSync(descriptor);
}

const LONG = Array.from(
  { length: 400 },
  (_, index) => `Turn number ${index + 1}.\n\n${'More words. '.repeat(20)}`,
);

describe('a transcript', () => {
  verifiesOnPage('W01', 'is read, found in, pointed to and copied, with the way to go on', async () => {
    await talk('reading', [
      'Please **fix** the login.',
      '# Plan\n\n1. look\n2. fix\n\n```ts\nconst a = 1 < 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSee [the page](https://example.org/x) and ![a picture](https://example.org/p.png).',
    ]);
    await using desk = await world().open({ size: 'desktop', path: '/s/reading' });
    const { page, context } = desk;
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world().origin });
    await page.locator('#t2 pre').waitFor();
    expect(await wordsOf(page.locator('#t2 .heading'))).toBe('Plan');
    const link = page.getByRole('link', { name: 'the page (example.org)' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await page.getByRole('link', { name: 'picture a picture (example.org)' }).waitFor();
    await page.getByRole('button', { name: 'More about turn 2' }).click();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByText('The turn was copied.').waitFor();
    await page.getByRole('button', { name: 'Raw record' }).click();
    await page.locator('.raw', { hasText: '"type":"turn"' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Resume it').click();
    expect(await wordsOf(page.locator('.commands pre'))).toMatch(
      /^cd .*shop'? && holdfast chat --resume '?reading'?$/,
    );
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Every record is whole.').waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as Markdown' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('reading.md');
    expect(desk.trouble()).toEqual([]);
  });

  verifiesOnPage('W01', 'of hundreds of turns holds a part of them, wherever one goes', async () => {
    await talk('long', LONG);
    await using desk = await world().open({ size: 'desktop', path: '/s/long' });
    const { page } = desk;
    await page.locator('#t1').waitFor();
    await page.goto(`${world().origin}/s/long#t200`);
    const at = (turn: number) =>
      vi.waitFor(async () => expect(await page.evaluate(FIRST_SEEN)).toBe(`t${turn}`), PATIENT);
    await at(200);
    await page.getByRole('button', { name: '↓ End' }).click();
    await page.locator('#t400').waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await vi.waitFor(async () => {
      const seen = Number((await page.evaluate<string>(FIRST_SEEN))?.slice(1));
      expect(seen).toBeGreaterThan(120);
      expect(seen).toBeLessThan(280);
    }, PATIENT);
    for (let step = 0; step < 10; step++) await page.mouse.wheel(0, 2_000);
    expect(await page.evaluate<number>(COUNT)).toBeLessThan(260);
    await page.getByRole('searchbox').fill('number 377.');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1 turn').waitFor();
    await at(377);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Turn', { exact: false }).last().fill('42');
    await page.keyboard.press('Enter');
    await at(42);
    await page.locator('#t42').focus();
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.id')).toBe('t43');
    await page.getByRole('button', { name: '↑ Start' }).click();
    await at(1);
    expect(desk.trouble()).toEqual([]);
  });

  verifiesOnPage('C10', 'shows damage where it is, and it can be recovered by who may steer', async () => {
    await talk('hurt', LONG.slice(0, 30));
    const lines = readFileSync(pathOf('hurt'), 'utf8').split('\n');
    flip(pathOf('hurt'), lines.slice(0, 11).join('\n').length + 60);
    await using viewer = await world().open({ path: '/s/hurt', can: 'view' });
    const damage = viewer.page.locator('.damage').first();
    await damage.waitFor();
    expect(await wordsOf(damage)).toMatch(/^Damage here: \d+ bytes cannot be read/);
    await viewer.page.getByText('Resume it').click();
    expect(await viewer.page.getByRole('button', { name: 'Recover' }).count()).toBe(0);
    await using desk = await world().open({ path: '/s/hurt' });
    await desk.page.getByText('Resume it').click();
    await desk.page.getByRole('button', { name: 'Recover' }).click();
    await desk.page.getByText('Kept every intact record').waitFor();
    await desk.page.locator('.told', { hasText: 'Recovered:' }).waitFor();
    await viewer.page.locator('.told', { hasText: 'Recovered:' }).waitFor();
    expect([...viewer.trouble(), ...desk.trouble()]).toEqual([]);
  });

  verifiesOnPage('W01', 'grows while it is read, and says when it was removed', async () => {
    using conversation = await conversations().create({ id: 'live', agent: 'claude' });
    conversation.addUserTurn('Is anybody there?');
    await using phone = await world().open({ path: '/s/live' });
    await phone.page.getByText('Is anybody there?').waitFor();
    await phone.page.getByText('in use now').waitFor();
    conversation.addAssistantTurn('I am.');
    await phone.page.getByText('I am.').waitFor();
    rmSync(pathOf('live'));
    await phone.page.getByText('This conversation was removed.').waitFor();
    expect(await phone.page.getByText('I am.').count()).toBe(1);
    await phone.page.goto(`${world().origin}/s/nothing-here`);
    await phone.page.getByText('There is no such conversation.').waitFor();
    expect(phone.trouble()).toEqual([]);
  });

  verifiesOnPage(
    'W01',
    'is asked for before the page itself is there, once, and again when the server is back',
    async () => {
      await talk('ahead', LONG.slice(0, 60));
      await using desk = await world().open({ size: 'desktop', path: '/' });
      const { page } = desk;
      let loadReader = () => {};
      const mayLoad = new Promise<void>((resolve) => {
        loadReader = resolve;
      });
      await page.context().route(/\/(?:app|transcript)-\w+\.js/, async (route) => {
        await mayLoad;
        await route.continue();
      });
      const asked = page.waitForRequest(/\/ahead\/turns\?turn=30$/);
      await page.goto(`${world().origin}/s/ahead#t30`, { waitUntil: 'commit' });
      await asked;
      expect(await page.locator('.turn').count()).toBe(0);
      loadReader();
      await vi.waitFor(async () => expect(await page.evaluate(FIRST_SEEN)).toBe('t30'), PATIENT);
      // All of the page, and what is before it.
      await page.locator('#t60').waitFor();
      await page.locator('#t20').waitFor();
      expect(desk.requests.filter((line) => line.endsWith('/ahead/turns?turn=30'))).toHaveLength(1);
      await page.route('**/api/**', (route) => route.abort());
      await page.reload();
      await page.getByText('The server does not answer.').waitFor();
      await page.unroute('**/api/**');
      await page.locator('#t30').waitFor();
    },
  );

  verifiesOnPage('W01', 'of a run has what the agent did, folded to one line', async () => {
    const { play, run, open } = world();
    play('doer', [
      { steps: [say('I begin.\n'), { run: 'true' }, { write: { path: 'a.txt', content: 'a' } }, done] },
    ]);
    const id = await run('tools', 'doer', { isToEnd: true });
    await using phone = await open({ path: `/s/run-${id}` });
    await phone.page.locator('.tools').first().waitFor();
    expect(await wordsOf(phone.page.locator('.tools summary').first())).toMatch(/^\d tool calls?/);
    await phone.page.getByRole('link', { name: 'the run' }).click();
    await phone.page.getByRole('heading', { name: 'tools' }).waitFor();
    expect(phone.trouble()).toEqual([]);
  });

  verifiesOnPage('W03', 'S6: whatever stands in it does nothing and asks for nothing', async () => {
    const markup = [
      '<script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)>',
      '[x](javascript:alert(1)) ![b](http://127.0.0.1:9/beacon.png) <meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
      '<iframe srcdoc="<script>alert(1)</script>"></iframe> [y](data:text/html,<script>alert(1)</script>)',
    ];
    await talk('evil', [...markup, ...attack.cases.map(({ text }) => text)]);
    await using desk = await world().open({ size: 'desktop', path: '/s/evil' });
    const { page } = desk;
    await page.locator('#t3').waitFor();
    await page.getByRole('button', { name: '↓ End' }).click();
    await page.locator(`#t${attack.cases.length + 3}`).waitFor();
    await page.getByRole('button', { name: '↑ Start' }).click();
    await page.locator('#t1').waitFor();
    const hostile = `document.querySelectorAll('main :is(script, img, svg, iframe, meta, a[href^="javascript" i], a[href^="data" i])').length`;
    expect(await page.evaluate(hostile)).toBe(0);
    expect(await wordsOf(page.locator('#t1 .markdown'))).toContain('<script>alert(1)</script>');
    await expect(page.evaluate(`document.querySelector('#t1').innerHTML = '<b>x</b>'`)).rejects.toThrow(
      /TrustedHTML/,
    );
    const troubles = desk
      .trouble()
      .filter((line) => !line.includes('TrustedHTML') && !line.includes('trusted-types'));
    expect(troubles.filter((line) => !line.includes('require-trusted-types-for'))).toEqual([]);
  });
});

describe('the sessions', () => {
  verifiesOnPage(
    'W01',
    'of every kind and project stand in one list, filtered and a page at a time',
    async () => {
      const { ask, open } = world();
      for (let number = 0; number < 60; number++) await talk(`chat-${number}`, ['Hello', 'Hi']);
      await ask();
      await using desk = await open({ size: 'desktop', path: '/s' });
      const { page } = desk;
      const rows = page.locator('.session');
      await rows.first().waitFor();
      await page.getByLabel('Every kind').selectOption('question');
      await vi.waitFor(async () => expect(await rows.count()).toBe(1), PATIENT);
      await page.getByLabel('Every kind').selectOption('conversation');
      await page.getByRole('searchbox').fill('chat-');
      await vi.waitFor(async () => expect(await page.getByText(/^60 of /).count()).toBe(1), PATIENT);
      await page.mouse.wheel(0, 20_000);
      await vi.waitFor(async () => expect(await rows.count()).toBe(60), PATIENT);
      await page.getByRole('link', { name: 'Conversation chat-0' }).click();
      await page.getByText('Hello').waitFor();
      await page.goBack();
      await vi.waitFor(
        async () => expect(await page.getByRole('searchbox').inputValue()).toBe('chat-'),
        PATIENT,
      );
      await page.getByRole('searchbox').fill('nothing has this');
      await page.getByText('No session matches.').waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await rows.first().waitFor();
      expect(desk.trouble()).toEqual([]);
    },
  );
});

for (const theme of ['light', 'dark'] as const)
  for (const size of ['phone', 'desktop', 'narrow'] as const)
    verifiesOnPage(
      'W05',
      `axe finds nothing in sessions and transcripts: ${theme}, ${SIZES[size].width} px`,
      async () => {
        const id = `axe-${theme}-${size}`;
        await talk(id, [
          'Fix it.\n\n- [ ] a\n- [x] b',
          '| a |\n|---|\n| 1 |\n\n> quoted `code`\n\n```\nx\n```',
          ...LONG.slice(0, 20),
        ]);
        const { size: bytes } = statSync(pathOf(id));
        flip(pathOf(id), bytes - 1_500);
        await using device = await world().open({ size, theme, path: `/s/${id}` });
        const { page } = device;
        await page.locator('.damage').first().waitFor();
        // So tall that the bar at its end covers nothing: what is half below it would count as too small.
        await page.setViewportSize({ width: SIZES[size].width, height: 12_000 });
        const found = await violations(page);
        await page.getByRole('button', { name: 'More about turn 1', exact: true }).click();
        await page.getByRole('button', { name: 'Raw record' }).click();
        await page.locator('.raw').waitFor();
        found.push(...(await violations(page)));
        await page.keyboard.press('Escape');
        await page.getByRole('searchbox').fill('words');
        await page.keyboard.press('Enter');
        await page.locator('.hits').waitFor();
        found.push(...(await violations(page)));
        if ((await page.evaluate<number>(TOO_WIDE)) > 0)
          found.push('the transcript is wider than the screen');
        await page.goto(`${world().origin}/s`);
        await page.locator('.session').first().waitFor();
        found.push(...(await violations(page)));
        if ((await page.evaluate<number>(TOO_WIDE)) > 0) found.push('the sessions are wider than the screen');
        expect(found).toEqual([]);
        expect(device.trouble()).toEqual([]);
      },
    );
