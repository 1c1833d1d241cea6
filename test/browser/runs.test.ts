import { describe, expect, vi } from 'vitest';
import { browserStage, isLive, verifiesOnPage, wordsOf } from '../support/browser-world.js';
import { PATIENT } from '../support/deadlines.js';
import { until } from '../support/processes.js';
import { done, GREEN, notDone, RED, say, status } from '../support/run-world.js';

const world = browserStage();

const ASK = {
  ask: {
    questions: [
      { title: 'Numbers', prompt: 'Which numbers?', options: [{ label: 'Plain' }, { label: 'Big' }] },
    ],
  },
};
const WORKER = [{ steps: [say('I work.\n'), { hang: true }] }];
const DOER = [{ steps: [{ write: { path: 'done.txt', content: 'x' } }, done] }];

const HREFS = `[...document.querySelectorAll('a.row')].map((row) => row.getAttribute('href'))`;

describe('the runs', () => {
  verifiesOnPage(
    'W01',
    'of every project stand in one list, what waits for the person first; each leads to itself',
    async () => {
      const { play, run, open, origin } = world();
      play('asker', [{ steps: [ASK, done] }]);
      play('worker', WORKER);
      play('doer', DOER);
      const ended = await run('blog', 'doer', { isToEnd: true });
      const works = await run('api', 'worker');
      const asks = await run('shop', 'asker');
      await using desk = await open({ size: 'desktop', path: '/runs' });
      const links = desk.page.locator('a.row');
      await vi.waitFor(
        async () =>
          expect(await desk.page.evaluate(HREFS)).toEqual([asks, works, ended].map((id) => `/r/${id}`)),
        PATIENT,
      );
      expect(await desk.page.locator('.runs h2').allInnerTexts()).toEqual([
        expect.stringMatching(/^Waiting for you/i),
        expect.stringMatching(/^Working/i),
        expect.stringMatching(/^Ended today/i),
      ]);
      expect(await wordsOf(links.first())).toMatch(/shop[\s\S]*asks[\s\S]*Which numbers\?/);
      await desk.page.getByRole('searchbox').fill('api');
      await vi.waitFor(async () => expect(await links.count()).toBe(1), PATIENT);
      await links.first().click();
      expect(desk.page.url()).toBe(`${origin}/r/${works}`);
      await desk.page.getByText('I work.').waitFor();
      await desk.page.goBack();
      await desk.page.getByRole('heading', { name: 'Runs' }).waitFor();
      expect(desk.trouble()).toEqual([]);
    },
  );

  verifiesOnPage('W01', 'one run, live: its phases, its tests, what it does and what it says', async () => {
    const { play, run, open } = world();
    play('builder', [RED, GREEN, { steps: [say('The third step is under way.\n'), { hang: true }] }]);
    const id = await run('adder', 'builder', { way: ['--verify', 'node --test'] });
    await using phone = await open({ path: `/r/${id}` });
    const { page } = phone;
    await page.locator('.said', { hasText: 'The third step is under way.' }).waitFor();
    expect(await wordsOf(page.getByRole('list', { name: 'Phases' }))).toMatch(
      /✓\s*RED[\s\S]*✓\s*GREEN[\s\S]*●\s*REFACTOR[\s\S]*○\s*DOCUMENT/,
    );
    expect(await wordsOf(page.locator('.figure', { hasText: 'Tests' }))).toMatch(/2\s*(\/|of)\s*2|2 passed/);
    expect(await wordsOf(page.locator('.figure', { hasText: 'Iterations' }))).toMatch(/\b[23]\b/);
    await page.locator('.log', { hasText: 'adder.mjs' }).waitFor();
    expect(await wordsOf(page.locator('p.doing'))).toMatch(/iteration \d/);
    expect(phone.trouble()).toEqual([]);
  });

  verifiesOnPage(
    'W02',
    'is guided, paused, answered, resumed and stopped from the page, each time as its record says',
    async () => {
      const { play, run, open, stateOf, promptsOf, machine } = world();
      play('steered', [{ steps: [ASK, notDone] }, { steps: [say('Second turn.\n'), { hang: true }] }]);
      const id = await run('garden', 'steered', { args: ['--attended'] });
      await using phone = await open({ path: `/r/${id}` });
      const { page } = phone;
      const card = page.getByRole('article', { name: /asks: Numbers$/ });
      await card.waitFor();
      await page.getByRole('button', { name: 'Guide…' }).click();
      const sheet = page.getByRole('dialog', { name: 'Guide the agent' });
      await sheet.getByRole('textbox').fill('begin with the tests');
      await sheet.getByRole('button', { name: 'Send' }).click();
      await page.locator('.steering .note', { hasNotText: 'Asking' }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await until(() => JSON.stringify(stateOf('garden')).includes('paus') || machine.ids().length > 0);
      await card.getByRole('radio', { name: 'Plain' }).check();
      await card.getByRole('button', { name: 'Answer' }).click();
      await until(() => stateOf('garden').status === 'paused');
      const resume = page.locator('.steering').getByRole('button', { name: 'Resume' });
      await resume.click();
      await page.locator('.said', { hasText: 'Second turn.' }).waitFor();
      expect(promptsOf('steered').join('\n')).toContain('begin with the tests');
      await page.getByRole('button', { name: 'Stop…' }).click();
      const stop = page.getByRole('dialog', { name: 'Stop this run?' });
      await stop.getByRole('button', { name: 'Keep it running' }).click();
      expect(stateOf('garden').status).toBe('running');
      await page.getByRole('button', { name: 'Stop…' }).click();
      await stop.getByRole('button', { name: 'Stop the run' }).click();
      await until(() => stateOf('garden').status !== 'running');
      await page.getByText('Stopped on request').waitFor();
      await resume.waitFor();
      expect(phone.trouble()).toEqual([]);
    },
  );

  verifiesOnPage('W01', 'that has ended says how, and takes no more requests', async () => {
    const { play, run, open } = world();
    play('finisher', [
      { steps: [{ write: { path: 'a.txt', content: 'a' } }, say(`All done.\n\n${status(true)}\n`)] },
    ]);
    const id = await run('done', 'finisher', { isToEnd: true });
    await using phone = await open({ path: `/r/${id}` });
    await phone.page.locator('p.doing', { hasText: 'Completed' }).waitFor();
    await phone.page.locator('.said', { hasText: 'All done.' }).waitFor();
    expect(await phone.page.locator('.steering').count()).toBe(0);
    await phone.page.getByText('In a terminal').click();
    await phone.page.locator('.commands', { hasText: 'holdfast' }).waitFor();
    expect(phone.trouble()).toEqual([]);
  });

  verifiesOnPage(
    'W02',
    'is not steered by a device that may only answer, and the page says why',
    async () => {
      const { play, run, open } = world();
      play('still', WORKER);
      const id = await run('still', 'still');
      await using phone = await open({ path: `/r/${id}`, can: 'answer' });
      await phone.page.getByText('This device may not steer.').waitFor();
      expect(await phone.page.getByRole('button', { name: /Guide|Pause|Stop/ }).count()).toBe(0);
      await isLive(phone.page);
    },
  );
});
