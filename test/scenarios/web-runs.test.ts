import { expect, vi } from 'vitest';
import { PATIENT } from '../support/deadlines.js';
import { machine } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import { projectsWorld } from '../support/projects-world.js';
import { Pane, verifiesInTerminal } from '../support/tmux.js';
import { verifies } from '../support/verifies.js';
import { signIn, webWorld } from '../support/web-world.js';

verifies(
  'W02',
  'a run of another project is shown live by sequence, guided, paused, stopped and resumed',
  async () => {
    await using projects = await projectsWorld();
    const run = await projects.begin('api', 'worker');
    await using world = await webWorld({ machine: projects, args: ['--quiet'] });
    const browser = await world.signIn('steer', 'desk');
    const { json: page } = await browser.get(`/api/runs/${run}`);
    expect(page).toMatchObject({ id: run, project: projects.at('api'), isArchived: false, hasJournal: true });
    expect(page.row).toMatchObject({ kind: 'run', group: 'works', isRunning: true });
    const stream = await browser.events(`?run=${run}:-1`);
    await vi.waitFor(() => expect(stream.of('caught')).toEqual([{ run, isRunning: true }]), PATIENT);
    const entries = stream.of('entry');
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_entry, index) => entries[0].seq + index));
    expect(entries[0]).toMatchObject({ run, event: { type: 'run-start' }, lines: expect.any(Array) });
    const request = async (body: object) => (await browser.post(`/api/runs/${run}/request`, body)).json;
    expect(await request({ kind: 'guidance', text: 'think of zero' })).toMatchObject({ isDone: true });
    expect(await request({ kind: 'pause' })).toMatchObject({ isDone: true });
    expect(await request({ kind: 'stop' })).toMatchObject({ isDone: true });
    await vi.waitFor(() => expect(stream.of('caught').at(-1)).toEqual({ run, isRunning: false }), PATIENT);
    const told = stream.of('entry');
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_entry, index) => told[0].seq + index));
    // Who comes back is told what is behind the last that they have, each once.
    const last = told.at(-1).seq - 2;
    const again = await browser.events(`?run=${run}:${last}`);
    await vi.waitFor(() => expect(again.of('caught')).toHaveLength(1), PATIENT);
    expect(again.of('entry').map(({ seq }) => seq)).toEqual([last + 1, last + 2]);
    expect(await request({ kind: 'pause' })).toEqual({
      isDone: false,
      words: 'No process runs it; it can be resumed.',
    });
    expect(await request({ kind: 'resume' })).toMatchObject({ isDone: true });
    await vi.waitFor(() => expect(stream.of('caught').at(-1)).toEqual({ run, isRunning: true }), PATIENT);
    for (const one of [stream, again]) one.close();
    expect((await browser.get('/api/runs/00000000-0000-4000-8000-000000000000')).status).toBe(404);
    expect((await request({ kind: 'reset' })).code).toBe('INVALID_INPUT');
  },
);

verifies('W02', "the question of a run stands on its row, and the agent gets the page's answer", async () => {
  await using projects = await projectsWorld();
  const run = await projects.begin('shop', 'asker');
  await using world = await webWorld({ machine: projects, args: ['--quiet'] });
  const browser = await world.signIn('answer', 'phone');
  const { cards, rows } = await vi.waitFor(async () => {
    const { json } = await browser.get('/api/state');
    expect(json.cards).toHaveLength(1);
    return json;
  }, PATIENT);
  expect(rows.find(({ key }: { key: string }) => key === cards[0].row)).toMatchObject({
    id: run,
    group: 'asks',
  });
  const { sessionId } = cards[0].set;
  const answers = [{ questionIndex: 0, selectedOption: 'Big' }];
  expect((await browser.post(`/api/questions/${sessionId}/answer`, { answers, isWhole: true })).status).toBe(
    200,
  );
  await until(() => projects.runners().length === 0);
  expect(projects.readFile(sessionId, 'status.json')).toMatchObject({
    status: 'completed',
    actor: 'page:phone',
  });
});

verifiesInTerminal(
  'W02',
  'the question of the demo is answered on its page, and the agent makes that',
  async () => {
    await using box = await machine();
    await using pane = await Pane.open(box, { columns: 120, rows: 60 });
    await pane.holdfast('demo --web');
    const text = (await pane.until('Answer it on the page')).join('\n');
    const [, origin = '', code = ''] = /(http:\S+)\/#code=([\w-]{32})/.exec(text) ?? [];
    const browser = await signIn(origin, Number(new URL(origin).port), code, 'phone');
    const [card] = (await browser.get('/api/state')).json.cards;
    const answers = [{ questionIndex: 0, selectedOption: 'Good day' }];
    const reply = await browser.post(`/api/questions/${card.set.sessionId}/answer`, {
      answers,
      isWhole: true,
    });
    expect(reply.json.set.actor).toBe('page:phone');
    await pane.until('The page stays until Ctrl+C');
    const [run] = (await browser.get('/api/state')).json.rows;
    expect((await browser.get(`/api/runs/${run.id}/report`)).status).toBe(200);
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(0);
    expect(await pane.history()).toContain('The person chose "Good day".');
  },
);
