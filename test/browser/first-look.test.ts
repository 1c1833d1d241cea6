import { describe, expect } from 'vitest';
import { browserStage, isLive, verifiesOnPage } from '../support/browser-world.js';

const world = browserStage();

describe('the first look', () => {
  verifiesOnPage(
    'W01',
    'the link signs in, a question is answered on a phone in a new tab, the asker gets it, and everybody sees who answered',
    async () => {
      const { machine, link, stranger } = world();
      const asker = machine.start([
        ...['ask', 'Deploy now?', '--title', 'Deploy', '--agent', 'claude'],
        ...['--option', 'Yes', '--option', 'No'],
      ]);
      await using phone = await stranger({ size: 'phone' });
      await phone.page.goto(link());
      await isLive(phone.page);
      const article = phone.page.getByRole('article', { name: 'claude asks: Deploy' });
      await article.waitFor();
      const id = (await article.getAttribute('data-card')) ?? '';
      const tab = await phone.tab(`/q/${id}`);
      await tab.getByRole('radio', { name: 'Yes' }).check();
      await tab.getByRole('button', { name: 'Answer' }).click();
      await tab.getByText('Answered by you, here').waitFor();
      expect(await asker.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Yes') });
      await phone.page.getByText('Nothing is waiting.').waitFor();
      expect((await machine.run(['questions', 'show', id])).stdout).toContain(
        'answered by page:Chrome on Linux',
      );
      expect(phone.trouble()).toEqual([]);
    },
  );

  verifiesOnPage(
    'W03',
    'S4: the code is gone from the address bar and its history, was in no request line, and counts once',
    async () => {
      const { link, origin, stranger } = world();
      const [url, code = ''] = [link('view')].flatMap((text) => [text, text.split('=')[1] ?? '']);
      await using phone = await stranger();
      await phone.page.goto(url ?? '');
      await isLive(phone.page);
      expect(phone.page.url()).toBe(`${origin}/`);
      expect(await phone.page.evaluate<number>('history.length')).toBeLessThanOrEqual(2);
      expect(phone.requests.filter((line) => line.includes(code.slice(0, 8)))).toEqual([]);
      expect(phone.requests.filter((line) => line.startsWith('POST'))).toEqual(['POST /api/login']);
      await using other = await stranger();
      await other.page.goto(url ?? '');
      await other.page.getByText('This link was already used or is too old.').waitFor();
      await other.page.getByText('holdfast web link').waitFor();
      expect(other.page.url()).toBe(`${origin}/`);
      expect([...phone.trouble(), ...other.trouble()]).toEqual([]);
    },
  );

  verifiesOnPage(
    'W03',
    'S4: neither the code nor the key is where a script of the page could lose it',
    async () => {
      await using phone = await world().open({ can: 'view' });
      const kept = await phone.page.evaluate<
        Record<'cookie' | 'html' | 'key', string> & { items: string[] }
      >(`({
      cookie: document.cookie,
      items: Object.keys(localStorage),
      html: document.documentElement.outerHTML,
      key: localStorage.getItem('holdfast.key') ?? '',
    })`);
      expect(kept.cookie).toBe('');
      expect(kept.items).toEqual(['holdfast.key']);
      expect(kept.key).toMatch(/^[\w-]{43}$/);
      expect(kept.html).not.toContain(kept.key);
    },
  );

  verifiesOnPage('W01', 'who is not signed in is told how to get in, on every address', async () => {
    const { origin, stranger } = world();
    await using phone = await stranger();
    for (const path of ['/', '/runs', '/q/x', '/r/x', '/sign-in']) {
      await phone.page.goto(`${origin}${path}`);
      await phone.page.getByText('holdfast web link').waitFor();
    }
    expect(phone.requests.filter((line) => line.includes('/api/'))).toEqual([]);
    expect(phone.trouble()).toEqual([]);
  });

  verifiesOnPage('W01', 'addresses of nothing say so: a question, a run, a page', async () => {
    await using phone = await world().open();
    const nothing = '00000000-0000-4000-8000-000000000000';
    for (const [path, words] of [
      [`/q/${nothing}`, 'There is no such question.'],
      [`/r/${nothing}`, 'There is no such run.'],
    ] as const) {
      await phone.page.goto(`${world().origin}${path}`);
      await phone.page.getByText(words).waitFor();
    }
    expect(phone.trouble()).toEqual([]);
  });

  verifiesOnPage('W03', 'signing out forgets what was told and keeps what was typed', async () => {
    const { ask, open } = world();
    const id = await ask();
    await using phone = await open();
    await phone.card(id).getByRole('textbox').fill('half a thought');
    await phone.page.getByRole('button', { name: 'Settings' }).click();
    await phone.page.getByRole('button', { name: 'Sign out' }).click();
    await phone.page.getByText('holdfast web link').waitFor();
    expect(await phone.page.getByText('Database').count()).toBe(0);
    const items = await phone.page.evaluate<string[]>('Object.keys(localStorage)');
    expect(items).toEqual([`holdfast.draft.${id}`]);
    expect(phone.trouble()).toEqual([]);
  });
});
