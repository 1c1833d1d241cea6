import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
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
const COMMAND = '**Bash** in `~/work/api`\n\n```sh\nnpm install argon2@0.44 --save-exact\nnpm run build\n```';

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
      size = 'phone',
      theme = 'light',
    }: { path: string; there: string; size?: 'phone' | 'desktop'; theme?: 'light' | 'dark' },
  ): Promise<void> {
    await using device = await world().open({
      size,
      theme,
      path,
      userAgent: IPHONE,
      scale: size === 'phone' ? 1.5 : 1,
    });
    await device.page.locator(there).first().waitFor();
    const picture = await device.page.screenshot({ animations: 'disabled', caret: 'hide' });
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
    await take('transcript-phone', { path: `/s/run-${works}`, there: '.tools' });
    await take('transcript-desktop', {
      path: `/s/run-${works}`,
      there: '.tools',
      size: 'desktop',
      theme: 'dark',
    });
    await take('sessions-phone', { path: '/s', there: '.session' });
    await take('sessions-desktop', { path: '/s', there: '.session', size: 'desktop' });
  });
});
