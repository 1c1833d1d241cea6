import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { browserStage, isLive, type PageDevice, verifiesOnPage, wordsOf } from '../support/browser-world.js';
import { PATIENT } from '../support/deadlines.js';
import { attackScript, foreignServer } from '../support/foreign-page.js';
import type { Json } from '../support/holdfast-binary.js';
import { question } from '../support/question-world.js';

const world = browserStage();

/** What a page of somebody else can see of us, at the most: that something is there. */
const NOTHING_READ = {
  read: 'refused',
  'read no-cors': expect.stringMatching(/^(opaque|refused)$/),
  shell: 'refused',
  write: 'refused',
  'write no-cors': expect.stringMatching(/^(opaque|refused)$/),
  'stop no-cors': expect.stringMatching(/^(opaque|refused)$/),
  beacon: 'opaque',
  events: 'refused',
  image: 'refused',
  script: 'refused',
  frame: 'refused',
  form: 'refused',
};

function audited(): Json[] {
  const path = join(world().machine.env.HOLDFAST_HOME ?? '', 'state', 'web', 'audit.jsonl');
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('S9: the cookie and the key of the page, together or not at all', () => {
  const attempts = (headers: string, credentials: string, id: string) => `Promise.all([
    fetch('/api/state', { headers: ${headers}, credentials: '${credentials}' }),
    fetch('/api/me', { headers: ${headers}, credentials: '${credentials}' }),
    fetch('/api/events', { headers: ${headers}, credentials: '${credentials}' }),
    fetch('/api/questions/${id}/answer', {
      method: 'POST', headers: { 'content-type': 'application/json', ...${headers} }, credentials: '${credentials}',
      body: JSON.stringify({ answers: [{ questionIndex: 0, selectedOption: 'SQLite' }], isWhole: true }),
    }),
  ]).then((replies) => replies.map(({ status }) => status))`;

  verifiesOnPage(
    'W03',
    'S9: a script of our own origin with the cookie alone is refused everywhere',
    async () => {
      const id = await world().ask();
      await using phone = await world().open();
      expect(await phone.page.evaluate(attempts('{}', 'include', id))).toEqual([403, 403, 403, 403]);
      expect(
        await phone.page.evaluate(`new Promise((resolve) => {
        const source = new EventSource('/api/events');
        source.onopen = () => resolve('open');
        source.onerror = () => { source.close(); resolve('refused'); };
      })`),
      ).toBe('refused');
      expect(await world().statusOf(id)).toBe('pending');
    },
  );

  verifiesOnPage(
    'W03',
    'S9: with the key alone it is refused everywhere, and with both it is not',
    async () => {
      const id = await world().ask();
      await using phone = await world().open();
      const key = `{ 'x-holdfast-key': localStorage.getItem('holdfast.key') }`;
      expect(await phone.page.evaluate(attempts(key, 'omit', id))).toEqual([403, 403, 403, 403]);
      expect(await world().statusOf(id)).toBe('pending');
      expect(await phone.page.evaluate(attempts(key, 'include', id))).toEqual([200, 200, 200, 200]);
      expect(await world().statusOf(id)).toBe('completed');
    },
  );
});

describe('S1, S2: a page of another local port, with the cookies of whoever looks at it', () => {
  /** Attacks from a page at `host`, in the browser of somebody who is signed in at `target`. */
  async function attack(victim: PageDevice, target: string, host: string) {
    await using foreign = await foreignServer();
    const id = await world().ask();
    const before = audited().length;
    const page = await victim.context.newPage();
    await page.goto(`http://${host}:${foreign.port}/`);
    const read = await page.evaluate(attackScript(target, id));
    const framed = page
      .frames()
      .slice(1)
      .map((frame) => frame.url());
    await page.close();
    const status = await world().statusOf(id);
    const done = audited()
      .slice(before)
      .filter(({ result }) => result === 'done');
    return { read, framed, status, done, cookies: foreign.heard.map(({ cookie }) => cookie) };
  }

  for (const name of ['127.0.0.1', 'localhost', 'hf-other.localhost'])
    verifiesOnPage(
      'W03',
      `S2: from ${name} it reads nothing, changes nothing, frames nothing and gets no cookie`,
      async () => {
        await using phone = await world().open();
        const { read, framed, status, done, cookies } = await attack(phone, world().origin, name);
        expect(read).toEqual(NOTHING_READ);
        expect(framed.filter((url) => url.startsWith('http'))).toEqual([]);
        expect([status, done]).toEqual(['pending', []]);
        expect(cookies.filter((cookie) => cookie !== '')).toEqual([]);
        await isLive(phone.page);
      },
    );

  verifiesOnPage(
    'W03',
    'S9: from another port of our own name it gets the cookie, which alone is worth nothing',
    async () => {
      await using phone = await world().open();
      const { hostname } = new URL(world().origin);
      const { read, status, done, cookies } = await attack(phone, world().origin, hostname);
      expect(read).toEqual(NOTHING_READ);
      expect([status, done]).toEqual(['pending', []]);
      const [cookie = ''] = cookies.filter((text) => text !== '');
      expect(cookie).toMatch(/^hf_\d+=/);
      for (const path of ['/api/state', '/api/me', '/api/events'])
        expect((await world().web.send(path, { headers: { cookie } })).status).toBe(403);
    },
  );

  verifiesOnPage('W03', 'S9: who is signed in at 127.0.0.1 is as safe from another port there', async () => {
    const { web, stranger } = world();
    const target = `http://127.0.0.1:${web.port}`;
    await using phone = await stranger();
    await phone.page.goto(`${target}/#code=${web.code()}`);
    await isLive(phone.page);
    const { read, status, done, cookies } = await attack(phone, target, '127.0.0.1');
    expect(read).toEqual(NOTHING_READ);
    expect([status, done]).toEqual(['pending', []]);
    expect(cookies.some((cookie) => cookie.startsWith('hf_'))).toBe(true);
    await isLive(phone.page);
  });

  verifiesOnPage(
    'W03',
    'S2: a page that opens ours, or is opened by nobody of ours, holds no handle to it',
    async () => {
      await using foreign = await foreignServer();
      await using phone = await world().open();
      const page = await phone.context.newPage();
      await page.goto(`http://127.0.0.1:${foreign.port}/`);
      const opened = phone.context.waitForEvent('page');
      await page.evaluate(`void (globalThis.opened = open(${JSON.stringify(world().origin)}))`);
      const ours = await opened;
      await isLive(ours);
      await vi.waitFor(async () => expect(await page.evaluate('opened.closed')).toBe(true), PATIENT);
      expect(await ours.evaluate('opener')).toBe(null);
    },
  );
});

describe('the policy of the page', () => {
  verifiesOnPage('W03', 'Trusted Types: text never becomes markup or a script, whoever tries', async () => {
    await using phone = await world().open();
    const names = await phone.page.evaluate(`[
      () => { document.body.innerHTML = '<img src=x onerror=alert(1)>'; },
      () => { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); },
      () => { document.createElement('script').src = '/x.js'; },
      () => { document.createElement('script').text = 'alert(1)'; },
      () => { document.createElement('iframe').srcdoc = '<script>alert(1)</script>'; },
      () => { new DOMParser().parseFromString('<b>x</b>', 'text/html'); },
      () => { document.createElement('div').setAttribute('onclick', 'alert(1)'); },
      () => { trustedTypes.createPolicy('mine', { createHTML: (text) => text }); },
    ].map((act) => { try { act(); return 'done'; } catch (error) { return error.name; } })`);
    expect(names).toEqual(Array(8).fill('TypeError'));
    expect(phone.trouble().filter((line) => !line.startsWith('console: '))).toEqual([]);
  });

  verifiesOnPage(
    'W03',
    'a script that got in all the same can tell nobody: no request, form, image or frame leaves',
    async () => {
      await using foreign = await foreignServer();
      await using phone = await world().open();
      await phone.page.evaluate(`(async () => {
      const there = 'http://127.0.0.1:${foreign.port}/';
      await fetch(there + 'fetch', { mode: 'no-cors' }).catch(() => {});
      navigator.sendBeacon(there + 'beacon', 'x');
      const wait = (made) => new Promise((resolve) => { made.onload = made.onerror = resolve; document.body.append(made); });
      await wait(Object.assign(new Image(), { src: there + 'image' }));
      const frame = document.createElement('iframe'); frame.src = there + 'frame'; document.body.append(frame);
      const form = Object.assign(document.createElement('form'), { action: there + 'form', method: 'post' });
      document.body.append(form); form.submit();
      const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: there + 'style' });
      await wait(link);
      try { new WebSocket('ws://127.0.0.1:${foreign.port}/socket'); } catch {}
    })()`);
      await vi.waitFor(() => {
        for (const directive of ['connect-src', 'img-src', 'form-action', 'style-src'])
          expect(phone.trouble().join('\n')).toContain(`policy: ${directive}`);
      }, PATIENT);
      await phone.page.reload();
      await isLive(phone.page);
      expect(foreign.heard).toEqual([]);
    },
  );
});

const PAYLOADS = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(2)>',
  '</script><script>alert(3)</script>',
  '[link](javascript:alert(4))',
  '<iframe src="javascript:alert(5)">',
  '<a href="javascript:alert(6)">x</a>',
  '![beacon](http://127.0.0.1:9/beacon.png)',
  '\u202egnp.exe \u2066\u2069\u200f \u001b[31m\u0007\u0000\u009b2J',
].join(' ');

/** What must be nowhere in the page: elements that only a text could have made, and characters that turn or hide text. */
const MADE_OF_TEXT = `(() => {
  const bad = [...document.querySelectorAll('*')].filter((element) =>
    element.matches('img, iframe, object, embed, base, form[action], style, script:not([src]), svg [onload], meta[http-equiv]') ||
    element.getAttributeNames().some((name) => name.startsWith('on')) ||
    (element.matches('a') && !element.href.startsWith(location.origin + '/')));
  const text = document.body.innerText + [...document.querySelectorAll('*')].flatMap((element) =>
    element.getAttributeNames().map((name) => element.getAttribute(name))).join(' ');
  const characters = [...text].filter((one) => /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(one));
  return [...bad.map((element) => element.outerHTML), ...characters.map((one) => one.codePointAt(0).toString(16))];
})()`;

describe('S6: every text is text', () => {
  async function isInert(device: PageDevice): Promise<void> {
    expect(await device.page.evaluate(MADE_OF_TEXT)).toEqual([]);
    expect(device.trouble()).toEqual([]);
  }

  verifiesOnPage(
    'W03',
    'S6: in the title, prompt, options and descriptions of a question, and in the name of who asks',
    async () => {
      const set = [
        question({
          title: PAYLOADS,
          prompt: `${PAYLOADS}\n\n\`\`\`${PAYLOADS}\n${PAYLOADS}\n\`\`\`\n- ${PAYLOADS}\n# ${PAYLOADS}\n> ${PAYLOADS}`,
          options: [{ label: PAYLOADS, description: PAYLOADS }, { label: `b ${PAYLOADS}` }],
        }),
      ];
      const id = await world().ask(set, { asker: { agent: PAYLOADS } });
      const permission = await world().askPermission(PAYLOADS);
      await using phone = await world().open({ path: `/q/${id}` });
      await phone.card(id).waitFor();
      expect(await wordsOf(phone.card(id))).toContain('<img src=x onerror=alert(1)>');
      await isInert(phone);
      await phone.page.getByRole('link', { name: 'Inbox' }).first().click();
      await phone.card(permission).waitFor();
      await isInert(phone);
      await phone.page.getByRole('link', { name: 'Runs' }).first().click();
      await phone.page.getByRole('heading', { name: 'Runs' }).waitFor();
      await isInert(phone);
    },
  );

  verifiesOnPage('W03', 'S6: in an answer, a draft, a reason and the name of another device', async () => {
    const [answered, rejected, draft] = [await world().ask(), await world().ask(), await world().ask()];
    await using phone = await world().open();
    for (const id of [answered, rejected, draft]) await phone.card(id).waitFor();
    const other = await world().web.signIn('answer', PAYLOADS);
    const text = PAYLOADS;
    await other.put(`/api/questions/${draft}/draft`, {
      questionIndex: 0,
      answers: [{ selected: [], isOther: true, text, isConfirmed: false }],
      rejectionReason: text,
    });
    await other.post(`/api/questions/${rejected}/reject`, { reason: text });
    const sent = await other.post(`/api/questions/${answered}/answer`, {
      answers: [{ questionIndex: 0, customText: text }],
      isWhole: false,
    });
    expect(sent.status).toBe(200);
    await phone.page.getByText('Answered elsewhere by you, on').waitFor();
    await isInert(phone);
    await phone.page.goto(`${world().origin}/q/${rejected}`);
    await phone.page.getByText('Rejected elsewhere').waitFor();
    await isInert(phone);
  });

  verifiesOnPage(
    'W03',
    'S6: in what an agent says and does, in the names of files, plans and projects, and in an error',
    async () => {
      const { play, run, open, origin } = world();
      const name = '<img src=x onerror=alert(1)>"><svg onload=alert(2)>\u202e';
      play('attacker', [
        {
          steps: [
            { say: `${PAYLOADS}\n` },
            { think: PAYLOADS },
            { write: { path: name, content: PAYLOADS } },
            { run: `echo ${JSON.stringify('<img src=x onerror=alert(1)>')}` },
            { fail: PAYLOADS },
          ],
        },
      ]);
      const id = await run(name, 'attacker', {
        plan: `docs/${name}.md`,
        title: PAYLOADS,
        args: ['--max-iterations', '1'],
        isToEnd: true,
      });
      await using phone = await open();
      for (const path of ['/', '/runs', `/r/${id}`]) {
        await phone.page.goto(`${origin}${path}`);
        await isLive(phone.page);
        await phone.page.getByText('<img src=x').first().waitFor();
        await isInert(phone);
      }
      await phone.page.locator('.log', { hasText: '</script><script>alert(3)' }).waitFor();
      await isInert(phone);
    },
  );
});

describe('revocation', () => {
  verifiesOnPage(
    'W03',
    'a device that is revoked while it looks is signed out at once, and what it typed comes back with the next link',
    async () => {
      const { machine, ask, open, link } = world();
      const id = await ask();
      await using phone = await open();
      const device = await phone.page.evaluate<string>(
        `fetch('/api/me', { headers: { 'x-holdfast-key': localStorage.getItem('holdfast.key') } }).then((reply) => reply.json()).then((me) => me.device)`,
      );
      await phone.card(id).getByRole('textbox').fill('kept through it all');
      const tab = await phone.tab('/runs');
      await isLive(tab);
      expect((await machine.run(['web', 'devices', 'revoke', device])).code).toBe(0);
      for (const page of [phone.page, tab]) await page.getByRole('heading', { name: 'Signed out' }).waitFor();
      expect(await phone.page.evaluate(`localStorage.getItem('holdfast.key')`)).toBe(null);
      expect(await phone.page.getByText('Database').count()).toBe(0);
      await tab.close();
      // In a tab that shows the page already, a link is no new page: only what is behind the # is another one.
      await phone.page.goto(link());
      await isLive(phone.page);
      expect(phone.page.url()).not.toContain('code');
      await vi.waitFor(
        async () =>
          expect(await phone.card(id).getByRole('textbox').inputValue()).toBe('kept through it all'),
        PATIENT,
      );
      expect(phone.trouble()).toEqual([]);
    },
  );
});
