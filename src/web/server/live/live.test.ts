import { expect, it, vi } from 'vitest';
import { appWorld } from '../../../../test/support/app-world.js';
import { PATIENT } from '../../../../test/support/deadlines.js';
import { question } from '../../../../test/support/question-world.js';
import { openOverview } from '../../../app/overview/open-overview.js';
import type { PageChange } from '../../contract/index.js';
import { Feed } from './feed.js';
import { PageStream } from './stream.js';

const ME = { device: 'd', name: 'n', can: 'view' } as const;

async function feedWorld() {
  const world = await appWorld();
  const services = world.services();
  const { clock, log, questions } = services;
  const feed = new Feed({ overview: openOverview(services), questions, clock, log });
  const stream = () =>
    new PageStream({ feed, clock, log, me: ME, openRun: undefined, onPing: () => {}, onEnd: () => {} });
  return {
    questions,
    feed,
    stream,
    async [Symbol.asyncDispose]() {
      feed[Symbol.dispose]();
      services.tools.watcher.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

it('sends what has changed, once, and settled sets as they ended', async () => {
  await using own = await feedWorld();
  const first = await own.questions.create([question()]);
  expect((await own.feed.read()).cards.map(({ set }) => set.sessionId)).toEqual([first.id]);
  const changes: PageChange[] = [];
  own.feed.subscribe((change) => changes.push(change));
  const second = await own.questions.create([question()]);
  await vi.waitFor(() => expect(changes.flatMap(({ cards }) => cards)).toHaveLength(1), PATIENT);
  expect(changes.flatMap(({ cards }) => cards)[0]?.set.sessionId).toBe(second.id);
  await own.questions.reject(first.id, 'no');
  await vi.waitFor(() => expect(changes.flatMap(({ settled }) => settled)).toHaveLength(1), PATIENT);
  expect(changes.flatMap(({ settled }) => settled)[0]?.set).toMatchObject({
    sessionId: first.id,
    status: 'rejected',
  });
  expect(own.feed.state().cards).toHaveLength(1);
  expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_change, index) => index + 2));
});

it('sends what was typed on this page to the others', async () => {
  await using own = await feedWorld();
  const { id } = await own.questions.create([question()]);
  await own.feed.read();
  const changes: PageChange[] = [];
  own.feed.subscribe((change) => changes.push(change));
  const draft = { questionIndex: 0, answers: [], rejectionReason: 'half' };
  own.questions.saveDraft(id, draft);
  own.feed.noteDraft(id);
  await vi.waitFor(() => expect(changes[0]?.cards[0]?.draft).toEqual(draft), PATIENT);
});

it('keeps no more for a slow reader than fits, and sends it everything anew when it continues', async () => {
  await using own = await feedWorld();
  await own.questions.create([question({ prompt: 'x'.repeat(50_000) })]);
  await own.feed.read();
  const stream = own.stream();
  const reader = stream.body.getReader();
  const sizes: number[] = [];
  const names: string[] = [];
  const take = async () => {
    const { value } = await reader.read();
    sizes.push(value?.byteLength ?? 0);
    names.push(/^event: (\w+)/.exec(new TextDecoder().decode(value))?.[1] ?? '');
  };
  await take();
  expect(names).toEqual(['state']);
  // No reader: 40 changes of 50 kB each would be 2 MB.
  for (let more = 0; more < 40; more += 1) {
    await own.questions.create([question({ prompt: `${more}${'y'.repeat(50_000)}` })]);
    await vi.waitFor(() => expect(own.feed.state().cards).toHaveLength(more + 2), PATIENT);
  }
  for (let most = 0; most < 20 && (names.length === 1 || names.at(-1) !== 'state'); most += 1) await take();
  expect(names.at(-1)).toBe('state');
  expect(names.filter((name) => name === 'change').length).toBeLessThan(10);
  const waited = sizes.slice(1, -1).reduce((sum, size) => sum + size, 0);
  expect(waited).toBeLessThan(512 * 1024);
  stream.close('stopping');
  await take();
  expect(names.at(-1)).toBe('bye');
  expect((await reader.read()).done).toBe(true);
});
