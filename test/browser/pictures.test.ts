import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openConversations } from '../../src/app/sessions/open-conversations.js';
import { browserStage, IPHONE, verifiesOnPage } from '../support/browser-world.js';
import { question } from '../support/question-world.js';
import { done, GREEN, RED, say } from '../support/run-world.js';

const world = browserStage();

/** Where they are put: scripts/page-pictures.mjs says so. Without it they are made all the same, and only looked at. */
const DIRECTORY = process.env.HOLDFAST_PAGE_PICTURES;
const MAX_BYTES = 120_000;

const REFRESH = question({
  title: 'Refresh tokens',
  prompt:
    'Which table should hold refresh tokens? `sessions` has a user already; a table of its own needs a **migration**.',
  options: [
    { label: 'sessions (recommended)', description: 'exists, has user_id' },
    { label: 'refresh_tokens', description: 'new, with a migration' },
  ],
});
const DEPLOY = question({
  title: 'Deploy',
  prompt: 'Deploy before the weekend?',
  options: [{ label: 'Now' }, { label: 'Not today' }],
});
const MACBOOK =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36';
const COMMAND = '**Bash** in `~/work/api`\n\n```sh\nnpm install argon2@0.44 --save-exact\nnpm run build\n```';

const TALK = [
  'Users are signed out after 15 minutes. Should they be?',
  'No. `src/session.ts` renews a token only when it is **already expired**, so that the next request fails.\n\n```ts\nif (token.expiresAt < now) renew(token);\n```\n\nTwo ways out:\n\n| Way | Costs |\n| --- | --- |\n| renew 60 s before it ends | one line, one test |\n| renew in the background | a timer for each tab |\n\nI would take the first.',
  'Take the first, with a test.',
  'Done:\n\n- [x] `renews a token a minute before it ends`\n- [x] all 41 tests pass\n- [ ] the changelog has no line yet',
];

/** A small working life: one run builds, one asks, one is done, one agent wants to install something. */
async function life() {
  const { play, run, ask, askPermission, machine } = world();
  play('claude', [
    RED,
    GREEN,
    {
      steps: [
        say('The tests pass. I look for what can be simpler now.\n'),
        { run: 'node --test' },
        say('`refresh.ts` and `login.ts` check the same token twice: the second check goes.\n'),
        { usage: { input: 41_200, output: 3_100, cost: 0.48 } },
        { hang: true },
      ],
    },
  ]);
  play('codex', [{ steps: [{ ask: { questions: [REFRESH] } }, done] }]);
  play('gemini', [{ steps: [{ write: { path: 'README.md', content: '# Shop\n' } }, done] }]);
  await run('website', 'gemini', { plan: 'docs/prps/front-page.md', isToEnd: true });
  await run('shop', 'codex', { plan: 'docs/prps/login.md' });
  const works = await run('billing', 'claude', {
    plan: 'docs/prps/invoices.md',
    way: ['--verify', 'node --test'],
  });
  await ask(
    [
      question({
        title: 'Rounding',
        prompt: 'Round each line, or only the sum?',
        options: [{ label: 'Each line' }, { label: 'The sum' }],
      }),
    ],
    {
      workingDirectory: machine.dir.at('billing'),
    },
  );
  using talk = await openConversations(world().web.services).create({
    id: 'signed-out-too-soon',
    agent: 'claude',
    workingDirectory: '/home/ada/work/shop',
  });
  for (const [index, text] of TALK.entries())
    if (index % 2 === 0) talk.addUserTurn(text);
    else talk.addAssistantTurn(text);
  talk.setStatus('completed');
  const permission = await askPermission(COMMAND, { withAlways: true });
  return { works, permission };
}

describe('the pictures of the documentation', () => {
  let things: Awaited<ReturnType<typeof life>> | undefined;

  async function take(
    name: string,
    {
      path,
      there,
      from,
      size = 'phone',
      theme = 'light',
    }: {
      path: string;
      there: string;
      /** What stands at the top. */
      from?: string;
      size?: 'phone' | 'desktop';
      theme?: 'light' | 'dark';
    },
  ): Promise<void> {
    await using device = await world().open({
      size,
      theme,
      path,
      userAgent: IPHONE,
      scale: size === 'phone' ? 1.5 : 1,
    });
    await device.page.locator(there).first().waitFor();
    if (from !== undefined)
      await device.page.evaluate(`document.querySelector('${from}').scrollIntoView({ block: 'start' })`);
    await keep(name, device.page);
  }

  async function keep(name: string, page: Page): Promise<void> {
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    expect([name, picture.length > 5_000 && picture.length <= MAX_BYTES, picture.length]).toEqual([
      name,
      true,
      expect.any(Number),
    ]);
    if (DIRECTORY === undefined) return;
    mkdirSync(DIRECTORY, { recursive: true });
    writeFileSync(join(DIRECTORY, `${name}.png`), picture);
  }

  verifiesOnPage('W01', 'are made by script, and are small', async () => {
    things ??= await life();
    const { works, permission } = things;
    // Before there are many.
    await using desk = await world().open({ size: 'desktop', userAgent: MACBOOK });
    const small = await world().ask([DEPLOY]);
    await desk.card(small).getByRole('radio', { name: 'Not today' }).check();
    await desk.card(small).getByRole('button', { name: 'Answer' }).click();
    await desk.page.locator(`[data-card="${small}"].settled`).getByText('Not today').waitFor();
    await using _guest = await world().open({ can: 'view', userAgent: ANDROID });
    await take('devices-phone', { path: '/devices', there: '.audit' });
    await take('devices-desktop', { path: '/devices', there: '.audit', size: 'desktop', theme: 'dark' });
    await using stranger = await world().stranger();
    await stranger.page.goto(world().origin);
    await stranger.page.getByLabel('8-character code').waitFor();
    await keep('sign-in-phone', stranger.page);
    const inbox = { path: '/', there: `[data-card="${permission}"]` };
    await take('run-phone', { path: `/r/${works}`, there: '.said >> text=the second check goes' });
    await take('inbox-phone', inbox);
    await take('inbox-phone-dark', { ...inbox, theme: 'dark' });
    await take('permission-phone', { path: `/q/${permission}`, there: '.primary:enabled' });
    await take('runs-desktop', {
      path: '/runs',
      there: 'section[aria-label="Ended today"]',
      size: 'desktop',
    });
    await take('transcript-phone', { path: '/s/signed-out-too-soon', there: '#t4' });
    await take('transcript-desktop', {
      path: `/s/run-${works}`,
      there: '.tools',
      from: '#t2',
      size: 'desktop',
      theme: 'dark',
    });
    await take('sessions-phone', { path: '/s', there: '.session' });
    await take('sessions-desktop', { path: '/s', there: '.session', size: 'desktop' });
  });
});
