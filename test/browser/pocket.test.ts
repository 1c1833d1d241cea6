import type { Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { axeFindings } from '../support/axe.js';
import { browserStage, isLive, type PageDevice, verifiesOnPage, wordsOf } from '../support/browser-world.js';
import { PATIENT } from '../support/deadlines.js';
import { type PushService, pushService } from '../support/push-service.js';
import { Pane } from '../support/tmux.js';

const world = browserStage();

/** A terminal of the person in which a pairing waits, and its code. */
async function pairing(name: string) {
  const pane = await Pane.open(world().machine, { columns: 120, rows: 40, name });
  await pane.holdfast('web pair');
  const shown = (await pane.until(/[2-9A-Z]{4}-[2-9A-Z]{4}/)).join('\n');
  const [code = ''] = /[2-9A-Z]{4}-[2-9A-Z]{4}/.exec(shown) ?? [];
  return { pane, shown, code };
}

/** Waits until something is true in the page; by the debugger's way, which its policy does not hold up. */
async function isTrue(page: Page, claim: string): Promise<void> {
  await vi.waitFor(async () => expect(await page.evaluate(claim)).toBe(true), PATIENT);
}

/** Whether the worker of the page is at work; it comes a moment after the page is live. */
async function hasWorker(page: Page): Promise<void> {
  await isTrue(page, 'navigator.serviceWorker.controller !== null');
}

const KEPT = `caches.has('holdfast-snapshot')`;

async function keepsInbox({ page }: PageDevice, id: string): Promise<void> {
  await isTrue(
    page,
    `caches.match('/kept-inbox').then((kept) => kept?.text()).then((text) => text?.includes('${id}'))`,
  );
}

describe('pairing', () => {
  verifiesOnPage(
    'W03',
    'a phone types the code, the terminal shows the same letters, and lets it in',
    async () => {
      const { pane, shown, code } = await pairing('pair');
      await using _pane = pane;
      expect(shown).toContain('Only this machine can reach the page');
      await using phone = await world().stranger();
      await phone.page.goto(`${world().origin}/`);
      await phone.page.getByLabel('8-character code').fill(code.toLowerCase());
      await phone.page.getByRole('button', { name: 'Sign in with the code' }).click();
      const check = await wordsOf(phone.page.locator('.check'));
      await pane.until(new RegExp(`Its screen shows ${check}`));
      // Who saw the code over the shoulder comes too late.
      await using other = await world().stranger();
      await other.page.goto(`${world().origin}/#pair=${code}`);
      await other.page.getByText('This code is not valid').waitFor();
      await pane.press('y', 'Enter');
      await isLive(phone.page);
      await pane.until(/Paired Chrome on Linux: it can answer/);
      expect(await pane.exitCode()).toBe(0);
      expect(await phone.page.evaluate('location.href')).toBe(`${world().origin}/`);
      expect([phone.trouble(), other.trouble()]).toEqual([[], []]);
    },
  );

  verifiesOnPage('W03', 'whoever is declined at the terminal stays out', async () => {
    const { pane, code } = await pairing('decline');
    await using _pane = pane;
    await using phone = await world().stranger();
    await phone.page.goto(`${world().origin}/#pair=${code.replace('-', '')}`);
    await pane.until(/Its screen shows/);
    await pane.press('n', 'Enter');
    await phone.page.getByText('the person at the terminal said no').waitFor();
    await pane.until(/No device was paired: you said no/);
    expect(await pane.exitCode()).toBe(1);
    expect(phone.requests.filter((line) => line.includes(code.slice(0, 4)))).toEqual([]);
  });

  verifiesOnPage('W03', 'five guesses end a pairing, and the terminal says so', async () => {
    await world().killServer();
    await world().startServer();
    const { pane, code } = await pairing('guess');
    await using _pane = pane;
    const { web, origin } = world();
    const guess = (given: string) =>
      web.send('/api/pair', { method: 'POST', headers: { origin }, body: { code: given, name: 'x' } });
    const replies = [];
    for (let tries = 0; tries < 5; tries += 1) replies.push((await guess('AAAA-AAAA')).status);
    expect([replies, (await guess(code)).status]).toEqual([[401, 401, 401, 401, 401], 429]);
    await pane.until(/No device was paired: somebody tried 5 wrong codes/);
    await world().killServer();
    await world().startServer();
    expect((await guess(code)).status).toBe(401);
  });
});

describe('in the pocket', () => {
  verifiesOnPage(
    'W04',
    'the page can be installed: a manifest without faults, icons, and a worker',
    async () => {
      await using device = await world().open();
      await hasWorker(device.page);
      const session = await device.context.newCDPSession(device.page);
      const { url, errors } = (await session.send('Page.getAppManifest')) as {
        url: string;
        errors: unknown[];
      };
      expect({ url, errors }).toEqual({ url: `${world().origin}/manifest.json`, errors: [] });
      const sizes =
        await device.page.evaluate(`fetch('/manifest.json').then((reply) => reply.json()).then(({ icons }) =>
      Promise.all(icons.map(async ({ src, sizes }) => { const { width, height } = await createImageBitmap(await (await fetch(src)).blob()); return width + 'x' + height === sizes; })))`);
      expect([sizes, device.trouble()]).toEqual([[true, true, true], []]);
    },
  );

  verifiesOnPage(
    'W04',
    'without a server the last inbox is there, and what is typed waits for the person',
    async () => {
      const id = await world().ask();
      await using device = await world().open();
      const { page } = device;
      await device.card(id).waitFor();
      await hasWorker(page);
      await keepsInbox(device, id);
      await world().killServer();
      await page.reload();
      await page.getByText('The server does not answer. This is the inbox as it was').waitFor();
      const card = device.card(id);
      await card.getByRole('radio').first().click();
      await card.getByRole('button', { name: 'Answer' }).click();
      await card.getByText('Not sent: the server did not answer').waitFor();
      await world().startServer();
      await isLive(page);
      expect(await world().statusOf(id)).toBe('pending');
      await card.getByRole('button', { name: 'Send now' }).click();
      await vi.waitFor(async () => expect(await world().statusOf(id)).toBe('completed'), PATIENT);
      expect(await page.getByText('The server does not answer').count()).toBe(0);
    },
  );

  verifiesOnPage(
    'W03',
    'what was kept is erased when this browser is signed out, here or at the terminal',
    async () => {
      const id = await world().ask();
      await using here = await world().open();
      await using there = await world().open({ userAgent: 'Firefox' });
      for (const device of [here, there]) {
        await device.card(id).waitFor();
        await keepsInbox(device, id);
      }
      await here.page.getByRole('button', { name: 'Settings' }).click();
      await here.page.getByRole('button', { name: 'Sign out' }).click();
      await isTrue(here.page, `${KEPT}.then((is) => !is)`);
      await world().machine.run(['web', 'devices', 'revoke', 'all']);
      await there.page.getByRole('heading', { name: 'Signed out' }).waitFor();
      await isTrue(there.page, `${KEPT}.then((is) => !is)`);
      expect([await here.page.evaluate(KEPT), await there.page.evaluate(KEPT)]).toEqual([false, false]);
    },
  );

  verifiesOnPage('W04', 'a worker of an older version is replaced when the person says so', async () => {
    await using device = await world().stranger();
    const { page } = device;
    await page.goto(`${world().origin}/manifest.json`);
    await page.evaluate(`(async () => {
      const policy = trustedTypes.createPolicy('holdfast-worker', { createScriptURL: () => '/worker.js?older' });
      await caches.open('holdfast-shell-older');
      await navigator.serviceWorker.register(policy.createScriptURL(''));
      await navigator.serviceWorker.ready;
    })()`);
    await page.goto(world().link());
    await isLive(page);
    await page.getByText('There is a newer version of this page').waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await isTrue(page, `navigator.serviceWorker.controller?.scriptURL.endsWith('/worker.js')`);
    await isLive(page);
    const names: string[] = await page.evaluate('caches.keys()');
    expect(names.filter((name) => name.startsWith('holdfast-shell-'))).toHaveLength(1);
    expect(names).not.toContain('holdfast-shell-older');
  });
});

describe('notices to a device', () => {
  /** What a browser would ask of its vendor, which is not here: the subscription leads to our own service. */
  const standIn = (subscription: object) => `{
    const told = ${JSON.stringify(subscription)};
    const made = { endpoint: told.endpoint, toJSON: () => told, unsubscribe: async () => { made.isGone = true; return true; } };
    let now = null;
    PushManager.prototype.subscribe = async () => (now = made);
    PushManager.prototype.getSubscription = async () => (made.isGone ? null : now);
  }`;

  async function withService(prove: (service: PushService) => Promise<void>): Promise<void> {
    await using service = await pushService();
    Object.assign(world().machine.env, { HOLDFAST_TEST_PUSH_SERVICE: service.url });
    await world().killServer();
    await world().startServer();
    await prove(service);
  }

  verifiesOnPage(
    'W04',
    'a device that wants it is told, and the message goes away when somebody answers',
    async () => {
      await withService(async (service) => {
        const browser = service.browser();
        const { questions } = world().web.services;
        for (const { id, outcome } of await questions.list())
          if (outcome.status === 'pending') await questions.cancel(id, 'over');
        await using device = await world().open({ can: 'answer' });
        const { page, context } = device;
        await context.grantPermissions(['notifications'], { origin: world().origin });
        await hasWorker(page);
        await page.evaluate(standIn(browser.subscription));
        await page.getByRole('button', { name: 'Settings' }).click();
        await page.getByRole('button', { name: 'Notify this device' }).click();
        await page.getByText('This device now gets notifications').waitFor();
        await page.getByRole('button', { name: 'Send a test' }).click();
        await browser.until(1);
        await page.getByText('Sent. It should appear').waitFor();
        const id = await world().ask();
        await browser.until(2);
        await world().machine.run(['questions', 'reject', id]);
        const [test, told, over] = await browser.until(3);
        expect(test?.payload.notification.title).toBe('Holdfast: this is a test');
        expect(told?.payload.notification.navigate).toBe(`${world().origin}/q/${id}`);
        expect(over?.payload).toMatchObject({ holdfast: { close: true } });
        expect(over?.headers.topic).toBe(told?.headers.topic);
      });
    },
  );

  verifiesOnPage('W03', 'S6 what is pushed is shown as text, replaced and closed by its tag', async () => {
    await using device = await world().open();
    const { page, context } = device;
    await context.grantPermissions(['notifications'], { origin: world().origin });
    await hasWorker(page);
    const session = await context.newCDPSession(page);
    const registrations: string[] = [];
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: all }) => {
      for (const { registrationId, scopeURL } of all)
        if (scopeURL.startsWith(world().origin)) registrations.push(registrationId);
    });
    await session.send('ServiceWorker.enable');
    await vi.waitFor(() => expect(registrations.length).toBeGreaterThan(0), PATIENT);
    const title = '<img src=x onerror=alert(1)>\u202e"; drop()';
    const notification = {
      title,
      body: '<script>alert(2)</script>',
      navigate: 'https://evil.example/',
      tag: 'a',
    };
    const deliver = (message: object) =>
      session.send('ServiceWorker.deliverPushMessage', {
        origin: world().origin,
        registrationId: registrations.at(-1) ?? '',
        data: JSON.stringify(message),
      });
    const shown = `navigator.serviceWorker.ready.then((own) => own.getNotifications()).then((all) => all.map(({ title }) => title))`;
    await deliver({ web_push: 8030, notification });
    await vi.waitFor(async () => expect(await page.evaluate(shown)).toEqual([title]), PATIENT);
    await deliver({ web_push: 8030, notification: { ...notification, title: 'again' } });
    await vi.waitFor(async () => expect(await page.evaluate(shown)).toEqual(['again']), PATIENT);
    await deliver({ web_push: 8030, notification, holdfast: { close: true } });
    await vi.waitFor(async () => expect(await page.evaluate(shown)).toEqual([]), PATIENT);
    expect(device.trouble()).toEqual([]);
  });
});

describe('the new places', () => {
  for (const theme of ['light', 'dark'] as const)
    for (const size of ['phone', 'desktop', 'narrow'] as const)
      verifiesOnPage(
        'W05',
        `axe finds nothing in the devices and the sign-in, ${theme} and ${size}`,
        async () => {
          await using device = await world().open({ theme, size, path: '/devices' });
          const { page } = device;
          await page.getByText('this device').waitFor();
          const found = await axeFindings(page);
          await page.getByRole('button', { name: 'Settings' }).click();
          await page.getByRole('group', { name: 'Notifications' }).waitFor();
          const inSettings = await axeFindings(page);
          await using stranger = await world().stranger({ theme, size });
          await stranger.page.goto(`${world().origin}/`);
          await stranger.page.getByLabel('8-character code').waitFor();
          expect([found, inSettings, await axeFindings(stranger.page)]).toEqual([[], [], []]);
          const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          expect([await page.evaluate(wide), await stranger.page.evaluate(wide)]).toEqual([0, 0]);
        },
      );

  verifiesOnPage(
    'W04',
    'the devices show who is signed in and what was done, and how to sign one out',
    async () => {
      await using device = await world().open({ can: 'view', path: '/devices' });
      const { page } = device;
      await page.getByText('this device').waitFor();
      const words = await wordsOf(page.locator('main'));
      expect(words).toContain('holdfast web devices revoke');
      expect(words).toMatch(/can look · here/);
      expect(words).toMatch(/signed in/);
      expect(await wordsOf(page.locator('.device').first())).toContain('this device');
      expect(await page.locator('main button').count()).toBe(0);
    },
  );
});
