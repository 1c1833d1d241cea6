import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { browserStage, verifiesOnPage, wordsOf } from '../support/browser-world.js';
import { PATIENT } from '../support/deadlines.js';
import { until } from '../support/processes.js';
import { question } from '../support/question-world.js';
import { sendTo } from '../support/web-world.js';

const world = browserStage();

const STORE = question({
  title: 'Store',
  prompt: 'Where do **tokens** go? See `db/schema.sql`.',
  options: [{ label: 'Redis' }, { label: 'SQLite (recommended)', description: 'already there' }],
});
const CHECKS = question({
  title: 'Checks',
  prompt: 'Which ones?',
  multiSelect: true,
  options: [{ label: 'lint' }, { label: 'types' }, { label: 'tests' }],
});
const NAME = question({ title: 'Name', prompt: 'What is it called?' });

async function outcomeOf(id: string) {
  return (await world().machine.asideJson(['questions', 'show', id])).data;
}

/** The beginning of a permission that is longer than any screen. */
const LONG = [
  '```sh',
  ...Array.from({ length: 900 }, (_, line) => `echo "line ${line} of a long command"`),
  '```',
].join('\n');

describe('answering', () => {
  verifiesOnPage(
    'W02',
    'every kind of question in one set: one choice, several, own words; the recommended one says so',
    async () => {
      const id = await world().ask([STORE, CHECKS, NAME]);
      await using phone = await world().open();
      const card = phone.card(id);
      const [store, checks, name] = ['Store', 'Checks', 'Name'].map((title) =>
        card.getByRole('group', { name: title }),
      );
      if (!store || !checks || !name) throw new Error('unreachable');
      expect(await wordsOf(store.locator('.option', { hasText: 'recommended' }))).toMatch(
        /^SQLite\s*recommended/i,
      );
      expect(await wordsOf(store.locator('strong'))).toBe('tokens');
      await card.getByRole('button', { name: 'Answer' }).click();
      await store.getByText('Choose one, or answer in your own words.').waitFor();
      expect(await store.locator('input:focus').count()).toBe(1);
      expect(await world().statusOf(id)).toBe('pending');
      await store.getByRole('radio', { name: 'SQLite' }).check();
      await checks.getByRole('checkbox', { name: 'lint' }).check();
      await checks.getByRole('checkbox', { name: 'tests' }).check();
      await name.getByRole('textbox').fill('Keep\nfast');
      expect(await name.getByRole('radio', { name: 'Own words' }).isChecked()).toBe(true);
      await card.getByRole('button', { name: 'Answer' }).click();
      await phone.page.getByText('Answered by you, here').waitFor();
      expect((await outcomeOf(id)).answers).toMatchObject([
        { questionIndex: 0, selectedOption: 'SQLite (recommended)' },
        { questionIndex: 1, selectedOptions: ['lint', 'tests'] },
        { questionIndex: 2, customText: 'Keep\nfast' },
      ]);
      expect(phone.trouble()).toEqual([]);
    },
  );

  verifiesOnPage('W02', 'none of several is chosen by a second press only', async () => {
    const id = await world().ask([CHECKS]);
    await using phone = await world().open({ path: `/q/${id}` });
    const answer = phone.card(id).getByRole('button', { name: 'Answer' });
    await answer.click();
    await phone.page.getByText('Press Answer again to choose none of these.').waitFor();
    expect(await world().statusOf(id)).toBe('pending');
    await answer.click();
    await phone.page.getByText('Answered by you, here').waitFor();
    expect((await outcomeOf(id)).answers).toMatchObject([{ questionIndex: 0, selectedOptions: [] }]);
  });

  verifiesOnPage('W02', 'a set is rejected with a reason, which the agent is told', async () => {
    const id = await world().ask();
    await using phone = await world().open();
    await phone.card(id).getByRole('button', { name: 'Reject…' }).click();
    const sheet = phone.page.getByRole('dialog', { name: 'Reject this question?' });
    await sheet.getByRole('textbox').fill('ask me tomorrow');
    await sheet.getByRole('button', { name: 'Reject', exact: true }).click();
    await phone.page.getByText('Rejected by you, here').waitFor();
    expect(await outcomeOf(id)).toMatchObject({ status: 'rejected', rejectionReason: 'ask me tomorrow' });
    expect(phone.trouble()).toEqual([]);
  });

  verifiesOnPage(
    'W02',
    'later is no answer: the card sleeps in this browser, and comes back when it is asked for',
    async () => {
      const id = await world().ask();
      await using phone = await world().open();
      await phone.card(id).getByRole('button', { name: 'Later' }).click();
      await phone.page.getByRole('button', { name: 'For an hour' }).click();
      await phone.card(id).waitFor({ state: 'detached' });
      await phone.page.reload();
      await phone.page.getByText('Later (1)').click();
      expect(await phone.card(id).count()).toBe(0);
      expect(await world().statusOf(id)).toBe('pending');
      await phone.page.getByRole('button', { name: 'Show now' }).click();
      await phone.card(id).waitFor();
      expect(phone.trouble()).toEqual([]);
    },
  );
});

describe('drafts', () => {
  verifiesOnPage(
    'W04',
    'what was typed is there after a reload, and on another device, which says where it is from',
    async () => {
      const id = await world().ask();
      await using phone = await world().open();
      await phone.card(id).getByRole('textbox').fill('half a thought');
      await phone.page.reload();
      await vi.waitFor(
        async () => expect(await phone.card(id).getByRole('textbox').inputValue()).toBe('half a thought'),
        PATIENT,
      );
      await until(() => existsSync(join(world().machine.questions, id, 'draft.json')));
      await using desk = await world().open({ size: 'desktop' });
      expect(await desk.card(id).getByRole('textbox').inputValue()).toBe('half a thought');
      await desk
        .card(id)
        .getByText('What you typed on another screen is here. Nothing was sent yet.')
        .waitFor();
      expect(await world().statusOf(id)).toBe('pending');
      expect([...phone.trouble(), ...desk.trouble()]).toEqual([]);
    },
  );

  verifiesOnPage(
    'W02',
    'answered in a terminal meanwhile: the winner is told, and what was typed stays until it is let go',
    async () => {
      const id = await world().ask();
      await using phone = await world().open();
      await phone.card(id).getByRole('textbox').fill('my own way');
      const answered = await world().machine.run(['answer', id, '--option', 'SQLite']);
      expect(answered.code, answered.stderr).toBe(0);
      const settled = phone.page.locator('.settled');
      await settled.getByText('Answered elsewhere by you, in a terminal').waitFor();
      expect(await wordsOf(settled.locator('.answers'))).toContain('SQLite');
      expect(await wordsOf(settled.locator('.typed'))).toBe('my own way');
      await settled.getByRole('button', { name: 'Discard' }).click();
      await settled.waitFor({ state: 'detached' });
      expect(phone.trouble()).toEqual([]);
    },
  );

  verifiesOnPage(
    'W02',
    'an answer that lost on its way shows the one that stands, and the draft',
    async () => {
      const id = await world().ask();
      await using phone = await world().open({ path: `/q/${id}` });
      await phone.context.route('**/api/questions/*/answer', async (route) => {
        await world().machine.aside(['answer', id, '--option', 'SQLite']);
        await route.continue();
      });
      await phone.card(id).getByRole('radio', { name: 'PostgreSQL' }).check();
      const reply = phone.page.waitForResponse(/\/answer$/);
      await phone.card(id).getByRole('button', { name: 'Answer' }).click();
      expect((await reply).status()).toBe(409);
      await phone.page.getByText('Answered elsewhere by you, in a terminal').waitFor();
      await vi.waitFor(
        async () => expect(await wordsOf(phone.page.locator('.typed'))).toBe('PostgreSQL'),
        PATIENT,
      );
      expect((await outcomeOf(id)).answers).toMatchObject([{ selectedOption: 'SQLite' }]);
    },
  );
});

describe('a reply that was lost', () => {
  verifiesOnPage(
    'W04',
    'an answer that arrived although nobody heard so counts once, and its card goes as any other',
    async () => {
      const id = await world().ask();
      await using phone = await world().open();
      const { origin, web } = world();
      await phone.context.route('**/api/questions/*/answer', async (route) => {
        const request = route.request();
        const headers = await request.allHeaders();
        await sendTo(origin, web.port, new URL(request.url()).pathname, {
          method: 'POST',
          headers,
          body: request.postData() ?? '',
        });
        await route.abort();
      });
      await phone.card(id).getByRole('radio', { name: 'SQLite' }).check();
      await phone.card(id).getByRole('button', { name: 'Answer' }).click();
      const article = phone.page.locator('.settled');
      await article.getByText('Answered by you, here').waitFor();
      expect((await outcomeOf(id)).answers).toMatchObject([{ selectedOption: 'SQLite' }]);
      await article.waitFor({ state: 'detached' });
      expect(await phone.page.evaluate(`localStorage.getItem('holdfast.draft.${id}')`)).toBe(null);
    },
  );
});

describe('sets that are not as they were', () => {
  verifiesOnPage(
    'W02',
    'whoever asked is gone: it says so, and the answer is kept for whoever asks again',
    async () => {
      const { machine } = world();
      const asker = machine.start([
        'ask',
        'Still there?',
        '--title',
        'Gone',
        '--option',
        'Yes',
        '--option',
        'No',
      ]);
      await using phone = await world().open();
      const article = phone.page.getByRole('article', { name: /asks: Gone$/ });
      await article.getByText('agent waiting').waitFor();
      asker.child.kill('SIGKILL');
      await article.getByText('The asker is gone. Your answer is kept').waitFor();
      const id = (await article.getAttribute('data-card')) ?? '';
      await article.getByRole('radio', { name: 'Yes' }).check();
      await article.getByRole('button', { name: 'Answer' }).click();
      await phone.page.getByText('Answered by you, here').waitFor();
      expect((await machine.run(['questions', 'collect', id])).stdout).toContain('Yes');
    },
  );

  verifiesOnPage('W02', 'out of time: who looks for it can still answer, late', async () => {
    const id = await world().ask([question({ title: 'Slow' })], { timeoutMs: 1 });
    await until(async () => (await world().statusOf(id)) === 'timed_out');
    await using phone = await world().open({ path: `/q/${id}` });
    await phone.page.getByText('It expired. You can still answer').waitFor();
    await phone.page.getByRole('radio', { name: 'SQLite' }).check();
    await phone.page.getByRole('button', { name: 'Answer' }).click();
    await phone.page.getByText('Answered by you, here').waitFor();
    expect(await outcomeOf(id)).toMatchObject({
      status: 'completed',
      answers: [{ selectedOption: 'SQLite' }],
    });
    expect(await wordsOf(phone.page.locator('.outcome'))).toContain(', late');
  });

  verifiesOnPage(
    'W02',
    'withdrawn while it is open: the card says so and stays with what was typed',
    async () => {
      const id = await world().ask();
      await using phone = await world().open();
      await phone.card(id).getByRole('textbox').fill('too slow');
      await world().machine.run(['questions', 'cancel', id]);
      const settled = phone.page.locator('.settled');
      await settled.locator('.outcome', { hasText: 'Withdrawn' }).waitFor();
      expect(await wordsOf(settled.locator('.typed'))).toBe('too slow');
      expect(phone.trouble()).toEqual([]);
    },
  );

  verifiesOnPage('W02', 'damaged: the card names the file and what helps', async () => {
    const { machine, ask, open } = world();
    const id = await ask([question({ title: 'Broken' })]);
    writeFileSync(join(machine.questions, id, 'status.json'), '{"status": "pend');
    await using phone = await open({ path: `/q/${id}` });
    await phone.page.getByText('Damaged.').waitFor();
    expect(await wordsOf(phone.page.locator('.note.bad'))).toContain('status.json');
    await phone.page.getByText(`holdfast sessions recover ${id.slice(0, 8)}`).waitFor();
    expect(phone.trouble()).toEqual([]);
  });
});

describe('permissions', () => {
  verifiesOnPage(
    'W02',
    'of 40 kB: nothing can be allowed until its end was on the screen; to deny it nobody has to read it',
    async () => {
      expect(LONG.length).toBeGreaterThan(30_000);
      const id = await world().askPermission(LONG);
      await using phone = await world().open();
      const card = phone.card(id);
      const allow = card.getByRole('button', { name: 'Allow once' });
      await card.getByText('Scroll to the end to allow it.').waitFor();
      await allow.scrollIntoViewIfNeeded();
      expect(await allow.isDisabled()).toBe(true);
      expect(await card.getByRole('button', { name: 'Deny', exact: true }).isDisabled()).toBe(false);
      // Whoever makes the button work all the same is refused by the server.
      await phone.page.evaluate(
        `(() => { const button = document.querySelector('[data-card="${id}"] .primary'); button.disabled = false; button.click(); })()`,
      );
      await card.getByText('all of the request must have been on the screen').waitFor();
      expect(await world().statusOf(id)).toBe('pending');
      await card.locator('.whole').focus();
      await phone.page.keyboard.press('End');
      await card.getByText('line 899 of a long command').scrollIntoViewIfNeeded();
      await vi.waitFor(async () => expect(await allow.isDisabled()).toBe(false), PATIENT);
      await allow.click();
      await phone.page.getByText('Answered by you, here').waitFor();
      expect((await outcomeOf(id)).answers).toMatchObject([{ selectedOption: 'Allow once' }]);
      expect(phone.trouble()).toEqual([]);
    },
  );

  verifiesOnPage('W02', 'is denied with words, which are the answer', async () => {
    const id = await world().askPermission('`rm -rf /`');
    await using phone = await world().open();
    const card = phone.card(id);
    await card.getByText('Deny and tell the agent why').click();
    await card.getByRole('textbox').fill('use the trash');
    await card.getByRole('button', { name: 'Deny and tell' }).click();
    await phone.page.getByText('Answered by you, here').waitFor();
    expect((await outcomeOf(id)).answers).toMatchObject([{ customText: 'use the trash' }]);
    expect((await outcomeOf(id)).answers[0].selectedOption).toBeUndefined();
    expect(phone.trouble()).toEqual([]);
  });
});

describe('what a device can', () => {
  verifiesOnPage(
    'W02',
    'one that may only look has nothing to press, and is told how to get more',
    async () => {
      const [set, permission] = [
        await world().ask(),
        await world().askPermission('`make`', { withAlways: true }),
      ];
      await using phone = await world().open({ can: 'view' });
      for (const id of [set, permission]) {
        await phone.card(id).getByText('This device may only look.').waitFor();
        expect(await phone.card(id).getByRole('button').count()).toBe(0);
      }
      expect(phone.trouble()).toEqual([]);
    },
  );

  verifiesOnPage(
    'W02',
    'one that may answer allows once or denies; "always" is for one that may steer',
    async () => {
      const id = await world().askPermission('`make all`', { withAlways: true });
      await using phone = await world().open({ can: 'answer', path: `/q/${id}` });
      await using desk = await world().open({ size: 'desktop', can: 'steer', path: `/q/${id}` });
      await phone.card(id).getByRole('button', { name: 'Allow once' }).waitFor();
      expect(await phone.card(id).getByRole('button', { name: 'Allow always' }).count()).toBe(0);
      await desk.card(id).getByRole('button', { name: 'Allow always' }).click();
      await desk.page.getByText('Answered by you, here').waitFor();
      await phone.page.getByText('Answered elsewhere by you, on Chrome on Linux').waitFor();
      expect([...phone.trouble(), ...desk.trouble()]).toEqual([]);
    },
  );
});
