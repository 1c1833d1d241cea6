import { mkdirSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { cleanup, render } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { appWorld } from '../../../test/support/app-world.js';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { FakeTerminal } from '../../../test/support/fake-terminal.js';
import { keysOf } from '../../../test/support/inbox-world.js';
import { ASKED, overviewRow } from '../../../test/support/overview-rows.js';
import { until } from '../../../test/support/processes.js';
import { openOverview } from '../../app/overview/open-overview.js';
import { servicesAt } from '../../app/services.js';
import { openLoops } from '../../app/sessions/open-loops.js';
import type { OverviewRow } from '../../overview/index.js';
import { allowStyles } from '../colors.js';
import type { SizedStream } from '../use-size.js';
import { widthOf } from '../wrap.js';
import { TopApp } from './app.js';
import { TopController } from './controller.js';

allowStyles();
afterEach(cleanup);

const READS = ['open', 'read', 'readText', 'list'];

/** This many projects, each with a run that asks something. */
async function manyRuns(count: number) {
  const world = await appWorld();
  world.configure({ question: { maxSessions: 1_000 } });
  const fileSystem = new FailingFileSystem();
  const services = world.services({ fileSystem });
  for (let number = 0; number < count; number++) {
    const directory = world.dir.at(`project-${number}`);
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(world.dir.at(`project-${number}`, 'plan.md'), '# PRP\n');
    using loop = await openLoops(servicesAt(services, directory)).create('plan.md');
    await services.questions.create(
      [{ title: 'Table', prompt: `Which table, ${number}?`, options: [{ label: 'A' }, { label: 'B' }] }],
      { asker: { agent: 'claude', session: loop.state.sessionId }, workingDirectory: directory },
    );
  }
  return { world, services, fileSystem };
}

function screenOf(controller: TopController, size = { columns: 80, rows: 24 }) {
  const terminal = new FakeTerminal(size.columns, size.rows) as unknown as SizedStream;
  const clock = { now: () => new Date('2026-05-01T10:12:00.000Z') } as never;
  const { lastFrame } = render(
    <TopApp controller={controller} clock={clock} terminal={terminal} hasColor={false} />,
  );
  return { text: () => stripVTControlCharacters(lastFrame() ?? '') };
}

const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('what a key costs', () => {
  it('O02: as many files are read at 200 runs as at 5', async () => {
    const counts: Record<string, number>[] = [];
    for (const count of [5, 200]) {
      const { world, services, fileSystem } = await manyRuns(count);
      await using _world = world;
      using overview = openOverview(services);
      const { questions, clock } = services;
      const steer = async () => 'done';
      const controller = new TopController({ overview, questions, clock, steer, goThere: steer, ring() {} });
      await controller.start();
      expect(controller.state.shown).toHaveLength(count);
      const readBy = async (keys: readonly string[], isDone: () => boolean) => {
        fileSystem.calls.length = 0;
        for (const key of keysOf(...keys)) controller.press(key);
        await until(isDone);
        return fileSystem.calls.filter(({ name }) => READS.includes(name)).length;
      };
      const moved = await readBy(['down', 'down', 'up'], () => true);
      const filtered = await readBy(['/', 'project', 'enter', 'escape'], () => true);
      const opened = await readBy(['a'], () => controller.card()?.state.open != null);
      const closed = await readBy(['q'], () => controller.card() === undefined);
      counts.push({ moved, filtered, opened, closed });
      controller.stop();
      services.tools.watcher.close();
    }
    const [few, many] = counts;
    expect(few).toMatchObject({ moved: 0, filtered: 0, closed: 0 });
    expect(few?.opened).toBeGreaterThan(0);
    expect(many).toEqual(few);
  });

  it('O02: only the rows on the screen are put into words, however many there are', async () => {
    let read = 0;
    const counted = (row: OverviewRow) =>
      new Proxy(row, {
        get(target, name) {
          if (name === 'cost') read += 1;
          return Reflect.get(target, name);
        },
      });
    const drawn: number[] = [];
    for (const count of [40, 400]) {
      const rows = Array.from({ length: count }, (_, index) => counted(overviewRow({ id: `run-${index}` })));
      const overview = { read: async () => rows, watch() {} };
      const steer = async () => 'done';
      const clock = { now: () => new Date('2026-05-01T10:12:00.000Z') } as never;
      const controller = new TopController({
        overview,
        questions: {} as never,
        clock,
        steer,
        goThere: steer,
        ring() {},
      });
      await controller.start();
      screenOf(controller);
      await settle();
      read = 0;
      for (const key of keysOf('down')) controller.press(key);
      await settle();
      drawn.push(read);
      cleanup();
    }
    expect(drawn[0]).toBeGreaterThan(10);
    expect(drawn[0]).toBeLessThan(60);
    expect(drawn[1]).toBe(drawn[0]);
  });
});

describe('the overview on a screen', () => {
  const rows = [
    overviewRow({ id: 'aaaaaaaa-1', group: 'asks', question: ASKED }),
    overviewRow({ id: 'bbbbbbbb-1', tests: [1, 4, 8].map((passing) => ({ passing, total: 8 })) }),
    overviewRow({ id: 'cccccccc-1', group: 'ended', status: 'completed', project: '/home/me/blog' }),
  ];

  async function shown(size: { columns: number; rows: number }, list = rows): Promise<string[]> {
    const steer = async () => 'done';
    const clock = { now: () => new Date('2026-05-01T10:12:00.000Z') } as never;
    const overview = { read: async () => list, watch() {} };
    const controller = new TopController({
      overview,
      questions: {} as never,
      clock,
      steer,
      goThere: steer,
      ring() {},
    });
    await controller.start();
    const { text } = screenOf(controller, size);
    await settle();
    return text()
      .split('\n')
      .map((line) => line.trimEnd());
  }

  it.each([
    [80, 24],
    [120, 40],
    [40, 12],
    [20, 8],
  ])('fits %i columns and %i rows', async (columns, height) => {
    const lines = await shown({ columns, rows: height });
    expect(lines.length).toBeLessThan(height);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toContain('Waiting for you');
  });

  it('has the tests as a curve, and every part under its name', async () => {
    const text = (await shown({ columns: 120, rows: 40 })).join('\n');
    expect(text).toMatch(/^ {2}project +plan +agent +phase +tests +cost +age +why$/m);
    expect(text).toMatch(/^› shop +login +claude +GREEN +- +\$0\.50 +12m +asks: Which table\?$/m);
    expect(text).toMatch(/^ {2}shop +login +claude +GREEN +▂▅█ 8\/8 /m);
    expect(text).toMatch(/Waiting for you[\s\S]*Working[\s\S]*Ended today\n {2}blog/);
  });

  it('says which rows these are if not all fit', async () => {
    const list = Array.from({ length: 60 }, (_, index) => overviewRow({ id: `run-${index}` }));
    const [title] = await shown({ columns: 80, rows: 24 }, list);
    expect(title).toMatch(/^Holdfast +60 working · 1–18 of 60$/);
  });

  it('says that there is nothing', async () => {
    expect((await shown({ columns: 80, rows: 24 }, [])).join('\n')).toContain(
      'Nothing is running, nothing is waiting',
    );
  });
});
