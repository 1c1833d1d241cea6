import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENT } from '../../../test/support/deadlines.js';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { keysOf } from '../../../test/support/inbox-world.js';
import { pidOf, processFacts } from '../../../test/support/processes.js';
import {
  firstOptions,
  type QuestionWorld,
  question,
  questionWorld,
} from '../../../test/support/question-world.js';
import { HoldfastError } from '../../foundation/index.js';
import type { QuestionSessions } from '../../sessions/question/index.js';
import { nodeFileSystem, ownIdentity } from '../../storage/index.js';
import { editorText } from '../text-editor.js';
import { type ControllerOptions, InboxController } from './controller.js';

const several = question({ title: 'Checks', multiSelect: true });

/** An inbox over its own instance of the sessions, as a separate process would have it. */
async function inbox(world: QuestionWorld, options: Partial<ControllerOptions> = {}) {
  const arrivals: number[] = [];
  const controller = new InboxController({
    questions: options.questions ?? world.other().sessions,
    clock: world.clock,
    onArrival: () => arrivals.push(arrivals.length),
    isOnce: false,
    ...options,
  });
  onTestFinished(() => controller.stop());
  await controller.start();
  const until = (prove: () => void) => vi.waitFor(prove, PATIENT);
  return {
    controller,
    arrivals,
    until,
    press: (...presses: string[]) => {
      for (const key of keysOf(...presses)) controller.press(key);
    },
    screen: () => controller.state.screen.name,
    /** Waits for a screen. */
    on: (name: string) => until(() => expect(controller.state.screen.name).toBe(name)),
    notice: () => controller.state.notice,
    typed: () => {
      const { editor } = controller.state;
      return editor === null ? null : editorText(editor);
    },
  };
}

const draftIn = (world: QuestionWorld, id: string) => world.sessions.readDraft(id);
const statusOf = async (sessions: QuestionSessions, id: string) => (await sessions.get(id)).outcome;

/** The same error as another bundle throws it: of a different class. */
class ForeignInvalidAnswer extends HoldfastError<'INVALID_ANSWER'> {
  readonly code = 'INVALID_ANSWER';
  readonly questionIndex = 1;
}

describe('the list of the inbox', () => {
  it('has what is pending, oldest first, and announces arrivals', async () => {
    await using world = await questionWorld();
    const first = await world.sessions.create([question()]);
    world.clock.advance(1_000);
    const second = await world.sessions.create([question()]);
    const { controller, arrivals, until } = await inbox(world);
    const ids = () => controller.state.pending.map(({ id }) => id);
    expect(ids()).toEqual([first.id, second.id]);
    expect(arrivals).toEqual([]);
    world.clock.advance(1_000);
    const third = await world.sessions.create([question()]);
    await until(() => expect(ids()).toEqual([first.id, second.id, third.id]));
    expect(arrivals).toHaveLength(1);
  });

  it('says why a set settled elsewhere left', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world);
    await world.sessions.cancel(id, 'not needed');
    await box.until(() => expect(box.notice()).toBe(`${id.slice(0, 8)} is gone: it was withdrawn.`));
    expect(box.controller.state.pending).toEqual([]);
    expect(box.arrivals).toEqual([]);
  });

  it('drops a set that runs out of time, though nothing is written', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()], { timeoutMs: 200 });
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    world.clock.advance(300);
    await box.on('settled');
    expect(box.controller.state.screen).toMatchObject({ outcome: { status: 'timed_out' } });
    expect(world.read(id, 'status.json')).toMatchObject({ status: 'pending' });
  });

  it('marks an asker that died, though nothing is written', async () => {
    await using world = await questionWorld();
    const asker = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    const pid = pidOf(asker);
    const askerProcess = {
      ...ownIdentity(nodeFileSystem),
      pid,
      startTime: processFacts(pid)?.startTime ?? null,
    };
    const { id } = await world.sessions.create([question()]);
    world.write(id, 'status.json', { ...world.read(id, 'status.json'), askerProcess });
    const box = await inbox(world, { askersEveryMs: 20 });
    const isGone = () => box.controller.state.pending[0]?.isAskerGone;
    expect(isGone()).toBe(false);
    box.press('enter');
    await box.on('question');
    asker.kill('SIGKILL');
    await box.until(() => expect(isGone()).toBe(true));
    expect(box.controller.state.open?.view.isAskerGone).toBe(true);
  });

  it('reports when the disk does not answer, and does not ask it in a loop', async () => {
    await using world = await questionWorld();
    const fileSystem = new FailingFileSystem();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world, { questions: world.other({ fileSystem }).sessions });
    fileSystem.arm({ fault: 'EIO', at: 1, isLasting: true, only: ['list'] });
    await world.sessions.cancel(id, 'x');
    await box.until(() => expect(box.notice()).toMatch(/EIO/));
    expect(fileSystem.fired).toBeLessThan(20);
    fileSystem.arm(undefined);
  });
});

describe('a draft', () => {
  it('is on disk at the first key, and comes back in the next inbox', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question(), several]);
    const first = await inbox(world);
    first.press('enter');
    await first.on('question');
    first.press('o');
    expect(draftIn(world, id)?.answers[0]).toMatchObject({ isOther: true });
    first.press('half a sen', 'paste:tence\n日本 👩‍👩‍👧‍👦');
    await first.until(() =>
      expect(draftIn(world, id)?.answers[0]?.text).toBe('half a sentence\n日本 👩‍👩‍👧‍👦'),
    );
    // The first inbox is not stopped properly: it died.
    const second = await inbox(world);
    second.press('enter');
    await second.on('question');
    expect(second.notice()).toBe('Your draft is back.');
    second.press('o');
    expect(second.typed()).toBe('half a sentence\n日本 👩‍👩‍👧‍👦');
  });

  it('is complete when the person leaves in the middle', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('o', 'a', 'b', 'c', 'ctrl-c');
    expect(draftIn(world, id)?.answers[0]?.text).toBe('abc');
    expect(await box.controller.done).toEqual({ answered: [], rejected: [] });
  });

  it('loses nothing when the set is closed and opened again faster than the disk is written', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('o', 'a', 'b', 'c', 'escape', 'q', 'enter');
    await box.on('question');
    box.press('o');
    expect(box.typed()).toBe('abc');
    box.press('d', 'escape', 'q');
    await box.until(() => expect(draftIn(world, id)?.answers[0]?.text).toBe('abcd'));
  });

  it('of one set is not lost when another is opened at once', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    world.clock.advance(1_000);
    const { id: otherId } = await world.sessions.create([question()]);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('o', 'a', 'b', 'escape', 'q', 'j', 'enter');
    await box.until(() => expect(box.controller.state.open?.view.id).toBe(otherId));
    box.press('o', 'x', 'y', 'ctrl-c');
    expect(draftIn(world, id)?.answers[0]?.text).toBe('ab');
    expect(draftIn(world, otherId)?.answers[0]?.text).toBe('xy');
  });

  it('holds the reason of a rejection', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('escape', 'y', 'because', 'ctrl-c');
    expect(draftIn(world, id)?.rejectionReason).toBe('because');
  });

  it('that cannot be written is reported, and written as soon as possible', async () => {
    await using world = await questionWorld();
    const fileSystem = new FailingFileSystem();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world, { questions: world.other({ fileSystem }).sessions });
    box.press('enter');
    await box.on('question');
    fileSystem.arm({ fault: 'ENOSPC', at: 1, isLasting: true, only: ['open', 'write'] });
    box.press('o', 'a', 'b');
    await box.until(() => expect(box.notice()).toMatch(/^The draft could not be saved: .*ENOSPC/));
    expect(draftIn(world, id)).toBeUndefined();
    fileSystem.arm(undefined);
    await box.until(() => expect(draftIn(world, id)?.answers[0]?.text).toBe('ab'));
    expect(box.typed()).toBe('ab');
  });

  it('is said to be kept when an answer could not be stored', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const { sessions } = world.other();
    sessions.answer = () => Promise.reject(new Error('Not stored: the database is away'));
    const box = await inbox(world, { questions: sessions });
    box.press('enter');
    await box.on('question');
    box.press('2', 'enter', 'enter');
    await box.until(() => expect(box.notice()).toBe('Not stored: the database is away. Your draft is kept.'));
    expect(draftIn(world, id)?.answers[0]?.selected).toEqual(['SQLite']);
  });

  it('is gone once the set is answered or rejected', async () => {
    await using world = await questionWorld();
    const answered = await world.sessions.create([question()]);
    world.clock.advance(1_000);
    const rejected = await world.sessions.create([question()]);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('1', 'enter', 'enter');
    await box.on('list');
    await box.until(() => expect(box.controller.state.selectedId).toBe(rejected.id));
    box.press('enter');
    await box.on('question');
    box.press('2', 'escape', 'y', 'no', 'enter');
    await box.on('list');
    expect(world.files(answered.id)).not.toContain('draft.json');
    expect(world.files(rejected.id)).not.toContain('draft.json');
    box.press('q');
    expect(await box.controller.done).toEqual({ answered: [answered.id], rejected: [rejected.id] });
  });

  it('that is damaged is set aside and blocks nothing', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    world.write(id, 'draft.json', '{"answers": [');
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    expect(box.notice()).toBeNull();
    box.press('1');
    expect(draftIn(world, id)?.answers[0]?.selected).toEqual(['PostgreSQL']);
  });
});

describe('an answer', () => {
  it('arrives as it was given', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question(), several, question()]);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('2', 'enter', '1', '2', 'o', 'and more', 'enter', 'o', '  spaced\n', 'newline', 'x', 'enter');
    expect(box.screen()).toBe('review');
    box.press('enter');
    await box.on('list');
    expect(box.notice()).toBe(`Answered ${id.slice(0, 8)}.`);
    expect(await statusOf(world.sessions, id)).toMatchObject({
      status: 'completed',
      answers: [
        { questionIndex: 0, selectedOption: 'SQLite' },
        { questionIndex: 1, selectedOptions: ['PostgreSQL', 'SQLite'], customText: 'and more' },
        { questionIndex: 2, customText: '  spaced\n\nx' },
      ],
    });
  });

  it('that lost the race shows the one that won, and keeps what was typed', async () => {
    await using world = await questionWorld();
    const asked = [question()];
    const { id } = await world.sessions.create(asked);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('o', 'mine', 'enter');
    await world.sessions.answer(id, firstOptions(asked));
    box.press('enter'); // before the news can have arrived
    await box.on('settled');
    expect(box.controller.state.screen).toMatchObject({
      why: 'Somebody else was first. This outcome counts; what you typed is kept in its draft.json.',
      outcome: { status: 'completed', answers: [{ selectedOption: 'PostgreSQL' }] },
    });
    expect(draftIn(world, id)?.answers[0]?.text).toBe('mine');
    box.press('enter');
    expect(box.screen()).toBe('list');
  });

  it('that cannot be written is reported on the review, and can be sent again', async () => {
    await using world = await questionWorld();
    const fileSystem = new FailingFileSystem();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world, { questions: world.other({ fileSystem }).sessions });
    box.press('enter');
    await box.on('question');
    box.press('1', 'enter');
    fileSystem.arm({ fault: 'ENOSPC', at: 1, isLasting: true, only: ['open', 'write'] });
    box.press('enter');
    await box.until(() => expect(box.controller.state.isBusy).toBe(false));
    expect([box.screen(), box.notice()]).toEqual(['review', expect.stringMatching(/ENOSPC/)]);
    fileSystem.arm(undefined);
    box.press('enter');
    await box.on('list');
    expect(await statusOf(world.sessions, id)).toMatchObject({ status: 'completed' });
  });

  it('that is too long is refused at its question', async () => {
    await using world = await questionWorld();
    await world.sessions.create([question(), question()]);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('1', 'enter', 'o', `paste:${'x'.repeat(300_000)}`, 'enter', 'enter');
    await box.until(() =>
      expect(box.controller.state.open?.fault).toMatchObject({
        refused: expect.stringMatching(/longer than 262144 characters/),
      }),
    );
    expect([box.screen(), box.controller.state.open?.questionIndex]).toEqual(['question', 1]);
  });

  it('that is refused elsewhere leads back to its question, whatever bundle the error comes from', async () => {
    await using world = await questionWorld();
    await world.sessions.create([question(), question()]);
    const { sessions } = world.other();
    sessions.answer = () => Promise.reject(new ForeignInvalidAnswer('The text is too long'));
    const box = await inbox(world, { questions: sessions });
    box.press('enter');
    await box.on('question');
    box.press('1', 'enter', '1', 'enter', 'enter');
    await box.until(() =>
      expect(box.controller.state.open?.fault).toEqual({ refused: expect.stringContaining('too long') }),
    );
    expect([box.screen(), box.controller.state.open?.questionIndex]).toEqual(['question', 1]);
  });
});

describe('the open set', () => {
  it('leaves when it is answered elsewhere, with what was typed kept', async () => {
    await using world = await questionWorld();
    const asked = [question()];
    const { id } = await world.sessions.create(asked);
    const box = await inbox(world);
    box.press('enter');
    await box.on('question');
    box.press('o', 'mine');
    await world.sessions.answer(id, firstOptions(asked));
    await box.on('settled');
    expect(box.controller.state.screen).toMatchObject({ why: expect.stringContaining('answered elsewhere') });
    expect(draftIn(world, id)?.answers[0]?.text).toBe('mine');
  });

  it('that was settled before it could be opened says so', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world);
    await world.sessions.reject(id, 'no');
    box.press('enter');
    await box.on('settled');
    expect(box.controller.state.screen).toMatchObject({
      why: 'Somebody else was first. This outcome counts.',
    });
  });

  it('is opened once, however often Enter is pressed', async () => {
    await using world = await questionWorld();
    await world.sessions.create([question()]);
    const box = await inbox(world);
    box.press('enter', 'enter', 'enter');
    await box.on('question');
    box.press('o', 'x');
    expect(box.typed()).toBe('x');
  });
});

describe('an inbox for one set', () => {
  it('takes the oldest with --once and ends with it', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    world.clock.advance(1_000);
    await world.sessions.create([question()]);
    const box = await inbox(world, { isOnce: true });
    await box.on('question');
    expect(box.controller.state.open?.view.id).toBe(id);
    box.press('1', 'enter', 'enter');
    expect(await box.controller.done).toEqual({ answered: [id], rejected: [] });
  });

  it('waits with --once for the next one', async () => {
    await using world = await questionWorld();
    const box = await inbox(world, { isOnce: true });
    expect(box.screen()).toBe('list');
    const { id } = await world.sessions.create([question()]);
    await box.on('question');
    expect(box.arrivals).toHaveLength(1);
    box.press('escape', 'y', 'enter');
    expect(await box.controller.done).toEqual({ answered: [], rejected: [id] });
  });

  it('does not hide with --once why a set left when the next one arrives', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world, { isOnce: true });
    await box.on('question');
    await world.sessions.reject(id, 'no');
    await box.on('settled');
    await world.sessions.create([question()]);
    await box.until(() => expect(box.arrivals).toHaveLength(1));
    expect(box.screen()).toBe('settled');
  });

  it('given by its id stays open when another one is answered, and ends with its own', async () => {
    await using world = await questionWorld();
    const other = await world.sessions.create([question()]);
    world.clock.advance(1_000);
    const { id } = await world.sessions.create([question()]);
    const box = await inbox(world, { sessionId: id });
    await box.on('question');
    expect(box.controller.state.open?.view.id).toBe(id);
    box.press('q', 'g', 'enter');
    await box.on('question');
    box.press('1', 'enter', 'enter');
    await box.until(() => expect(box.notice()).toBe(`Answered ${other.id.slice(0, 8)}.`));
    await box.until(() => expect(box.controller.state.selectedId).toBe(id));
    box.press('enter');
    await box.on('question');
    box.press('2', 'enter', 'enter');
    expect(await box.controller.done).toEqual({ answered: [other.id, id], rejected: [] });
  });

  it('given by its id opens an expired set for a late answer', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()], { timeoutMs: 100 });
    world.clock.advance(200);
    const box = await inbox(world, { sessionId: id });
    await box.on('question');
    box.press('1', 'enter', 'enter');
    expect(await box.controller.done).toEqual({ answered: [id], rejected: [] });
    expect(JSON.parse(readFileSync(world.path(id, 'answers.json'), 'utf8'))).toMatchObject({ late: true });
  });
});
