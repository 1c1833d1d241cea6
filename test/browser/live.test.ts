import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { browserStage, isLive, verifiesOnPage } from '../support/browser-world.js';
import { PATIENT } from '../support/deadlines.js';
import { until } from '../support/processes.js';
import { question } from '../support/question-world.js';
import { say } from '../support/run-world.js';

const world = browserStage();

/** Everything that the journal on the screen says, line by line. */
const lines = (page: Page) => page.locator('.log > p').allInnerTexts();

/** What the journal of a run says, as it is on disk. */
function journalOf(run: string): string {
  return readFileSync(
    join(world().machine.env.HOLDFAST_HOME ?? '', 'state', 'runs', run, 'events.jsonl'),
    'utf8',
  );
}

describe('after kill -9 of the server', () => {
  verifiesOnPage('W04', 'the journal of a run goes on without a gap and without a double', async () => {
    const { play, run, open, killServer, startServer } = world();
    const steps = Array.from({ length: 60 }, (_, number) => [
      say(`line ${number + 1};\n`),
      { delay: 40 },
    ]).flat();
    play('talker', [{ steps: [...steps, say('the last line\n'), { hang: true }] }]);
    const id = await run('talk', 'talker');
    await using phone = await open({ path: `/r/${id}` });
    await phone.page.locator('.said', { hasText: 'line 5;' }).waitFor();
    await killServer();
    await phone.page.locator('.connection:not(.live)').waitFor();
    await startServer();
    await isLive(phone.page);
    await phone.page.locator('.said', { hasText: 'the last line' }).waitFor();
    const said = (await phone.page.locator('.said').allInnerTexts()).join('\n');
    expect(said.match(/line \d+;/g)).toEqual(
      Array.from({ length: 60 }, (_, number) => `line ${number + 1};`),
    );
    expect(said.match(/line \d+;/g)).toEqual(journalOf(id).match(/line \d+;/g));
    await using fresh = await open({ path: `/r/${id}` });
    await fresh.page.locator('.said', { hasText: 'the last line' }).waitFor();
    expect(await lines(phone.page)).toEqual(await lines(fresh.page));
    expect(phone.trouble()).toEqual([]);
  });

  verifiesOnPage(
    'W04',
    'cards are as the files say: those that came and went meanwhile, and drafts typed without a server',
    async () => {
      const { ask, open, machine, killServer, startServer } = world();
      const [stays, goes] = [
        await ask([question({ title: 'Stays' })]),
        await ask([question({ title: 'Goes' })]),
      ];
      await using phone = await open();
      for (const id of [stays, goes]) await phone.card(id).waitFor();
      await killServer();
      await phone.card(stays).getByRole('textbox').fill('typed without a server');
      const comes = await ask([question({ title: 'Comes' })]);
      await machine.aside(['answer', goes, '--option', 'SQLite']);
      await phone.page.getByRole('button', { name: 'Try now' }).waitFor();
      await startServer();
      await phone.card(comes).waitFor();
      await phone.card(goes).waitFor({ state: 'detached' });
      expect(await phone.card(stays).getByRole('textbox').inputValue()).toBe('typed without a server');
      // It gets to the server by itself, as a draft and not as an answer.
      const other = await world().web.signIn('view');
      await until(async () => {
        const { draft } = (await other.get(`/api/questions/${stays}`)).json;
        return draft?.answers[0]?.text === 'typed without a server';
      });
      expect(await world().statusOf(stays)).toBe('pending');
      expect(phone.trouble()).toEqual([]);
    },
  );

  verifiesOnPage(
    'W04',
    'it says that it is reconnecting, then since when it is offline; an answer is kept and sent when the person says so',
    async () => {
      const { ask, open, killServer, startServer } = world();
      const id = await ask();
      await using phone = await open({ path: `/q/${id}` });
      await phone.card(id).getByRole('radio', { name: 'SQLite' }).check();
      await killServer();
      await phone.page.locator('.connection', { hasText: /reconnecting in \d+ s/ }).waitFor();
      await phone.card(id).getByRole('button', { name: 'Answer' }).click();
      await phone.page.getByText('Not sent: the server did not answer.').waitFor();
      await phone.page.locator('.connection', { hasText: /offline since \d\d:\d\d/ }).waitFor();
      expect(await phone.page.getByRole('button', { name: 'Send now' }).count()).toBe(0);
      await startServer();
      await phone.page.getByRole('button', { name: 'Try now' }).click();
      await isLive(phone.page);
      expect(await world().statusOf(id)).toBe('pending');
      await phone.page.getByRole('button', { name: 'Send now' }).click();
      await phone.page.getByText('Answered by you, here').waitFor();
      expect(await world().statusOf(id)).toBe('completed');
      expect(phone.trouble()).toEqual([]);
    },
  );
});

describe('the stream', () => {
  verifiesOnPage(
    'W04',
    'is one for all tabs of a browser; when its tab is closed another one takes over',
    async () => {
      const { ask, open } = world();
      await using desk = await open({ size: 'desktop' });
      const streams = () => desk.requests.filter((line) => line.startsWith('GET /api/events')).length;
      const tabs = [await desk.tab('/'), await desk.tab('/')];
      for (const tab of tabs) await isLive(tab);
      const first = await ask([question({ title: 'To all' })]);
      for (const page of [desk.page, ...tabs]) await desk.card(first, page).waitFor();
      expect(streams()).toBe(1);
      await desk.page.close();
      const second = await ask([question({ title: 'To the rest' })]);
      for (const tab of tabs) await desk.card(second, tab).waitFor();
      expect(streams()).toBe(2);
      expect(desk.trouble()).toEqual([]);
    },
  );

  verifiesOnPage('W04', 'of two tabs with two runs, each is told its own when it is looked at', async () => {
    const { play, run, open } = world();
    play('one', [{ steps: [say('I am the first.\n'), { hang: true }] }]);
    play('two', [{ steps: [say('I am the second.\n'), { hang: true }] }]);
    const [one, two] = [await run('first', 'one'), await run('second', 'two')];
    await using desk = await open({ size: 'desktop', path: `/r/${one}` });
    await desk.page.getByText('I am the first.').waitFor();
    const tab = await desk.tab(`/r/${two}`);
    await tab.getByText('I am the second.').waitFor();
    expect(await tab.getByText('I am the first.').count()).toBe(0);
    expect(await desk.page.getByText('I am the second.').count()).toBe(0);
    expect(desk.trouble()).toEqual([]);
  });

  verifiesOnPage(
    'W01',
    'a new question is news: on the card, in the title of the tab and for a screen reader',
    async () => {
      const { ask, open } = world();
      await using phone = await open();
      const before = Number(/\d+/.exec(await phone.page.title())?.[0] ?? 0);
      const id = await ask([question({ title: 'News' })]);
      await phone.card(id).waitFor();
      await vi.waitFor(
        async () => expect(await phone.page.title()).toBe(`(${before + 1}) Holdfast`),
        PATIENT,
      );
      await phone.page
        .getByRole('status')
        .filter({ hasText: '1 new question' })
        .waitFor({ state: 'attached' });
    },
  );
});
