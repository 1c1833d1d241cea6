import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CatalogWorld, catalogWorld, PROCESS_ID } from '../../test/support/catalog-world.js';
import { PLAN } from '../../test/support/loop-world.js';
import { DAY_MS, question, treeOf } from '../../test/support/question-world.js';
import { openLoops } from '../app/index.js';
import { openCatalog } from '../app/sessions/open-catalog.js';
import { openChanges } from '../app/sessions/open-changes.js';
import type { SessionRef } from './index.js';

/** One session of every kind, created a minute apart; only the question and the claim are live. */
async function oneOfEach(world: CatalogWorld): Promise<Record<string, string>> {
  const later = () => world.clock.advance(60_000);
  const question = await world.ask();
  later();
  const conversation = await world.talk('my-talk');
  later();
  const loop = await world.loop();
  later();
  const change = await world.change('worker');
  later();
  const process = await world.launch();
  return { question, conversation, loop, change, process };
}

const names = (found: readonly SessionRef[]) => found.map(({ kind, id }) => `${kind} ${id}`);

describe('listing', () => {
  it('shows every kind, newest first', async () => {
    await using world = await catalogWorld();
    const ids = await oneOfEach(world);
    const found = await world.catalog.list();
    expect(names(found)).toEqual(
      ['process', 'change', 'loop', 'conversation', 'question'].map((kind) => `${kind} ${ids[kind]}`),
    );
    expect(found.map(({ status, title, agent, isLive }) => [status, title, agent, isLive])).toEqual([
      ['resumable', '2 prompts', 'player', false],
      ['active', 'add-login', null, true],
      ['suspended', PLAN, null, false],
      ['completed', '2 turns', 'qa', false],
      ['pending', 'Which database?', 'asker', true],
    ]);
    expect(found[0]).toEqual({
      kind: 'process',
      id: PROCESS_ID,
      status: 'resumable',
      title: '2 prompts',
      agent: 'player',
      workingDirectory: world.app.project,
      createdAt: '2026-03-01T12:04:00.000Z',
      lastActivity: '2026-03-01T12:04:00.000Z',
      isDamaged: false,
      isLive: false,
      isEnded: false,
      isHidden: false,
    });
  });

  it('leaves out what has ended or belongs to a run, unless all or that status is wanted', async () => {
    await using world = await catalogWorld();
    const answered = await world.ask({ isAnswered: true });
    await world.talk('run-1', { isHidden: true });
    await world.launch(PROCESS_ID, 'ended');
    await world.change('worker', { isFlushed: true });
    const first = await world.loop();
    const second = await world.loop();
    expect(names(await world.catalog.list())).toEqual([`loop ${second}`]);
    expect(names(await world.catalog.list({ isAll: true })).sort()).toEqual(
      [
        `question ${answered}`,
        'conversation run-1',
        `process ${PROCESS_ID}`,
        'change worker',
        `loop ${first}`,
        `loop ${second}`,
      ].sort(),
    );
    expect(names(await world.catalog.list({ status: 'completed' }))).toEqual([`question ${answered}`]);
  });

  it('filters by kind, status and agent, and refuses an unknown status', async () => {
    await using world = await catalogWorld();
    await oneOfEach(world);
    await world.talk('other', { agent: 'else' });
    expect(names(await world.catalog.list({ kind: 'conversation', agent: 'qa' }))).toEqual([
      'conversation my-talk',
    ]);
    expect(names(await world.catalog.list({ status: 'suspended' }))).toEqual([
      expect.stringMatching(/^loop /),
    ]);
    await expect(world.catalog.list({ status: 'sleepy' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      hint: expect.stringContaining('interrupted'),
    });
    await expect(world.catalog.list({ status: 'pending', kind: 'process' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('an open conversation is live', async () => {
    await using world = await catalogWorld();
    using conversation = await world.conversations.create({ id: 'open', agent: 'qa' });
    conversation.addUserTurn('hello');
    expect(await world.catalog.list()).toMatchObject([{ id: 'open', status: 'active', isLive: true }]);
    expect(await world.catalog.summarize({ kind: 'conversation', id: 'open' })).toMatchObject({
      title: '1 turn',
      isLive: true,
      isDamaged: false,
    });
  });

  it('marks damage in every kind, even in ended sessions', async () => {
    await using world = await catalogWorld();
    const ids = await damageOneOfEach(world);
    const abandoned = await world.ask();
    writeFileSync(join(world.services.config.layout.questions, abandoned, 'request.json'), '{');
    const found = await world.catalog.list();
    expect(found).toContainEqual(
      expect.objectContaining({ id: abandoned, status: 'abandoned', isEnded: true }),
    );
    expect(names(found).sort()).toEqual(
      [...Object.entries(ids), ['question', abandoned]].map(([kind, id]) => `${kind} ${id}`).sort(),
    );
    for (const summary of found) expect(summary, summary.kind).toMatchObject({ isDamaged: true });
  });

  it('a kind that cannot be listed causes a warning and the rest is listed', async () => {
    await using world = await catalogWorld();
    await oneOfEach(world);
    const trap = join(world.app.project, 'openspec', '.holdfast');
    renameSync(trap, `${trap}-away`);
    symlinkSync(`${trap}-away`, trap);
    const found = await world.catalog.list();
    expect(found.map(({ kind }) => kind)).toEqual(['process', 'loop', 'conversation', 'question']);
    expect(world.app.log.named('catalog.kind-failed')).toMatchObject([{ fields: { kind: 'change' } }]);
    await expect(world.catalog.list({ kind: 'change' })).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
    expect((await world.catalog.verifyAll()).failed).toMatchObject([{ kind: 'change' }]);
  });

  it('a planted link among the process sessions does not hide the others', async () => {
    await using world = await catalogWorld();
    await world.launch();
    const planted = PROCESS_ID.replace('ses_1', 'ses_2');
    symlinkSync('/', join(world.processStore.directory, planted));
    expect(names(await world.catalog.list())).toEqual([`process ${PROCESS_ID}`]);
    expect(world.app.log.named('catalog.session-not-listed')).toHaveLength(1);
  });

  it('a directory of the archive that is not ours is marked, and verify says why', async () => {
    await using world = await catalogWorld();
    const first = await world.loop();
    const second = await world.loop();
    chmodSync(join(world.services.config.layout.loop, 'archive', first), 0o777);
    expect(await world.catalog.list({ kind: 'loop' })).toMatchObject([
      { id: first, status: 'unreadable', isDamaged: true },
      { id: second, status: 'suspended', isDamaged: false },
    ]);
    const { sessions } = await world.catalog.verifyAll('loop');
    expect(sessions.find(({ id }) => id === first)?.faults).toMatchObject([
      { detail: expect.stringContaining('Refusing to use') },
    ]);
  });

  it('reads only', async () => {
    await using world = await catalogWorld();
    const ids = await oneOfEach(world);
    const before = treeOf(world.app.dir.path);
    await world.catalog.list({ isAll: true });
    await world.catalog.verifyAll();
    await world.catalog.trashed();
    for (const id of Object.values(ids)) {
      const session = await world.catalog.find(id);
      await world.catalog.get(session);
      await world.catalog.export(session, 'md');
    }
    expect(treeOf(world.app.dir.path)).toEqual(before);
  });
});

describe('finding', () => {
  it('takes an id or its first characters, whatever the kind', async () => {
    await using world = await catalogWorld();
    const ids = await oneOfEach(world);
    for (const [kind, id] of Object.entries(ids))
      expect(await world.catalog.find(kind === 'process' ? id.slice(0, 9) : id.slice(0, 5))).toEqual({
        kind,
        id,
      });
    const { question = '' } = ids;
    expect(await world.catalog.find(question.slice(0, 8).toUpperCase())).toMatchObject({ kind: 'question' });
    expect(await world.catalog.find(PROCESS_ID.slice(4, 9))).toEqual({ kind: 'process', id: PROCESS_ID });
  });

  it('an exact id wins over longer ones, however short it is', async () => {
    await using world = await catalogWorld();
    for (const id of ['abc', 'abcd', 'abcdef']) await world.talk(id);
    expect(await world.catalog.find('abc')).toMatchObject({ id: 'abc' });
    expect(await world.catalog.find('abcd')).toMatchObject({ id: 'abcd' });
    expect(await world.catalog.find('abcde')).toMatchObject({ id: 'abcdef' });
    await expect(world.catalog.find('ab')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('a prefix of several ids is an error that names them with their kinds, and --kind tells them apart', async () => {
    await using world = await catalogWorld();
    await world.talk('worker');
    await world.change('worker');
    await expect(world.catalog.find('worker')).rejects.toMatchObject({
      code: 'AMBIGUOUS_ID',
      message: 'worker fits 2 sessions: worker (conversation), worker (change)',
    });
    expect(await world.catalog.find('worker', 'change')).toEqual({ kind: 'change', id: 'worker' });
    for (let number = 0; number < 12; number++) await world.talk(`many-${number}`);
    await expect(world.catalog.find('many')).rejects.toMatchObject({
      message: expect.stringMatching(/^many fits 12 sessions: .* and 2 more$/),
    });
  });

  it.each([
    '',
    '../../etc/passwd',
    '..',
    '.',
    'a/b',
    'a\0b',
    '\u001b[2J',
    '-rf',
    'a'.repeat(300),
    'ses_/../x',
  ])('refuses %j before anything is looked up', async (hostile) => {
    await using world = await catalogWorld();
    await expect(world.catalog.find(hostile)).rejects.toMatchObject({ code: 'INVALID_SESSION_ID' });
    await expect(world.catalog.restore(hostile)).rejects.toMatchObject({ code: 'INVALID_SESSION_ID' });
  });

  it.each(['ses_', 'nothing-like-it', '3f2a'])('does not find %s', async (typed) => {
    await using world = await catalogWorld();
    await oneOfEach(world);
    await expect(world.catalog.find(typed)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringContaining('holdfast sessions list --all'),
    });
  });
});

/** One damaged session of every kind. */
async function damageOneOfEach(world: CatalogWorld): Promise<Record<string, string>> {
  const ids = await oneOfEach(world);
  const { layout } = world.services.config;
  writeFileSync(join(layout.questions, ids.question ?? '', 'status.json'), '{');
  const talk = join(layout.conversations, 'my-talk.jsonl');
  writeFileSync(talk, `${readFileSync(talk, 'utf8')}not json\n`);
  writeFileSync(join(layout.processes, PROCESS_ID, 'session.json'), '{');
  writeFileSync(join(layout.loop, 'metrics.json'), '{');
  const claim = join(world.app.project, 'openspec', '.holdfast', 'changes', 'add-login', 'session.json');
  writeFileSync(claim, '{');
  // A claim that cannot be read has no id, so its change stands in for it.
  return { ...ids, change: 'add-login' };
}

describe('verifying and recovering', () => {
  it('names what is wrong in every kind, with the place if there is one', async () => {
    await using world = await catalogWorld();
    const ids = await damageOneOfEach(world);
    const { sessions, failed } = await world.catalog.verifyAll();
    expect(failed).toEqual([]);
    expect(names(sessions).sort()).toEqual(
      Object.entries(ids)
        .map(([kind, id]) => `${kind} ${id}`)
        .sort(),
    );
    for (const { kind, faults } of sessions) expect(faults, kind).toHaveLength(1);
    const talk = sessions.find(({ kind }) => kind === 'conversation');
    expect(talk?.faults).toEqual([{ detail: expect.any(String), line: 5, offset: expect.any(Number) }]);
  });

  it('mends what can be mended and says what cannot', async () => {
    await using world = await catalogWorld();
    const ids = await damageOneOfEach(world);
    const recover = (kind: keyof typeof ids) =>
      world.catalog.recover({ kind, id: ids[kind] ?? '' } as SessionRef);
    expect(await recover('question')).toMatchObject({ found: [{}], left: [] });
    const talk = await recover('conversation');
    expect(talk).toMatchObject({ found: [{ line: 5 }], left: [] });
    expect(readFileSync(talk.keptAt ?? '', 'utf8')).toContain('not json');
    expect(await recover('change')).toMatchObject({
      found: [{}],
      left: [],
      told: expect.stringContaining('from the copy'),
    });
    expect(await recover('loop')).toMatchObject({
      left: [{}],
      told: expect.stringContaining('Start afresh'),
    });
    await expect(recover('process')).rejects.toMatchObject({
      code: 'DOCUMENT_DAMAGED',
      hint: expect.stringContaining('sessions delete'),
    });
    const left = (await world.catalog.verifyAll()).sessions.filter(({ faults }) => faults.length > 0);
    expect(left.map(({ kind }) => kind)).toEqual(['loop', 'process']);
  });

  it('what is intact stays unchanged', async () => {
    await using world = await catalogWorld();
    const ids = await oneOfEach(world);
    for (const [kind, id] of Object.entries(ids))
      expect(await world.catalog.recover({ kind, id } as SessionRef), kind).toMatchObject({
        found: [],
        left: [],
        keptAt: null,
        told: 'It is intact.',
      });
    expect((await world.catalog.verifyAll()).sessions.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('a question set without its questions is reported as beyond repair, and stays', async () => {
    await using world = await catalogWorld();
    const id = await world.ask();
    const request = join(world.services.config.layout.questions, id, 'request.json');
    writeFileSync(request, '{');
    const recovery = await world.catalog.recover({ kind: 'question', id });
    expect(recovery.left).not.toEqual([]);
    expect(recovery.told).toContain('Nothing could be repaired');
    expect(readFileSync(request, 'utf8')).toBe('{');
  });
});

describe('exporting', () => {
  it('writes every kind as Markdown and as JSON, without secrets', async () => {
    await using world = await catalogWorld();
    const secret = `sk-ant-${'a1B2'.repeat(10)}`;
    const ids = await oneOfEach(world);
    ids.question = await world.ask({ prompt: `Use ${secret}?\n# Not a heading`, isAnswered: true });
    await openChanges(world.services).learn(`the key is ${secret}`, { sessionId: 'worker' });
    for (const [kind, id] of Object.entries(ids)) {
      const session = { kind, id } as SessionRef;
      const markdown = await world.catalog.export(session, 'md');
      expect(markdown, kind).toMatch(/^# (?:[A-Z][a-z]+ s|S)ession /);
      expect(markdown).toContain(id);
      const json = await world.catalog.export(session, 'json');
      expect(JSON.parse(json)).toBeTypeOf('object');
      expect(markdown + json).not.toContain(secret);
      expect(markdown.match(/^# /gm), kind).toHaveLength(1);
    }
    const asked = await world.catalog.export({ kind: 'question', id: ids.question }, 'md');
    expect(asked).toContain('> # Not a heading');
    expect(asked).toContain('→ PostgreSQL');
    expect(asked).toContain('[redacted:anthropic-key]');
  });
});

describe('deleting', () => {
  it('moves to the trash, from which it comes back unchanged', async () => {
    await using world = await catalogWorld();
    const ids = await oneOfEach(world);
    await openChanges(world.services).flush({ sessionId: 'worker' });
    const before = await world.catalog.list({ isAll: true });
    for (const [kind, id] of Object.entries(ids)) {
      world.clock.advance(1);
      await world.catalog.remove({ kind, id } as SessionRef);
    }
    expect(await world.catalog.list({ isAll: true })).toEqual([]);
    expect(names(await world.catalog.trashed())).toEqual(
      ['process', 'change', 'loop', 'conversation', 'question'].map((kind) => `${kind} ${ids[kind]}`),
    );
    for (const id of Object.values(ids)) await world.catalog.restore(id);
    expect(await world.catalog.trashed()).toEqual([]);
    expect(await world.catalog.list({ isAll: true })).toEqual(before);
    expect((await world.catalog.verifyAll()).sessions.flatMap(({ faults }) => faults)).toEqual([]);
    // A restored session can be resumed.
    using loop = await openLoops(world.services).resume(PLAN);
    expect(loop.state.sessionId).toBe(ids.loop);
    await world.services.questions.reject(ids.question ?? '', 'no');
    using talk = await world.conversations.hold('my-talk');
    talk.addUserTurn('still there?');
  });

  it('refuses a session in use, and says how to proceed', async () => {
    await using world = await catalogWorld();
    using talk = await world.conversations.create({ id: 'open', agent: 'qa' });
    await world.launch();
    using _owned = await world.processStore.hold(PROCESS_ID);
    using loop = await openLoops(world.services).create(PLAN);
    await world.change('worker');
    const before = await world.catalog.list();
    for (const session of [
      { kind: 'conversation', id: talk.id },
      { kind: 'process', id: PROCESS_ID },
      { kind: 'loop', id: loop.state.sessionId },
    ] as const)
      await expect(world.catalog.remove(session)).rejects.toMatchObject({ code: 'LOCKED' });
    await expect(world.catalog.remove({ kind: 'change', id: 'worker' })).rejects.toMatchObject({
      code: 'CHANGE_LOCKED',
      hint: expect.stringContaining('holdfast change release add-login'),
    });
    expect(await world.catalog.list()).toEqual(before);
    expect(await world.catalog.trashed()).toEqual([]);
  });

  it('an unreadable session can be deleted, and comes back unchanged; a claim is mended first', async () => {
    await using world = await catalogWorld();
    const ids = await damageOneOfEach(world);
    for (const kind of ['conversation', 'loop', 'process'] as const) {
      const session = { kind, id: ids[kind] ?? '' };
      await world.catalog.remove(session);
      expect(await world.catalog.restore(session.id)).toEqual(session);
      expect((await world.catalog.verify(session)).faults, kind).toHaveLength(1);
    }
    await expect(world.catalog.remove({ kind: 'change', id: 'add-login' })).rejects.toMatchObject({
      code: 'DOCUMENT_DAMAGED',
      hint: expect.stringContaining('holdfast change recover add-login'),
    });
  });

  it('a loop whose state cannot be read is named by a stand-in word', async () => {
    await using world = await catalogWorld();
    await world.loop();
    const state = join(world.services.config.layout.loop, 'loop-state.json');
    writeFileSync(state, '{');
    expect(await world.catalog.list()).toMatchObject([{ kind: 'loop', id: 'loop', status: 'unreadable' }]);
    await world.catalog.remove(await world.catalog.find('loop'));
    expect(await world.catalog.list({ isAll: true })).toEqual([]);
    expect(await world.catalog.restore('loop')).toEqual({ kind: 'loop', id: 'loop' });
    expect(readFileSync(state, 'utf8')).toBe('{');
  });

  it('a loop of the archive goes to the trash and back to the archive', async () => {
    await using world = await catalogWorld();
    const first = await world.loop();
    const second = await world.loop();
    await world.catalog.remove({ kind: 'loop', id: first });
    expect(names(await world.catalog.list({ isAll: true }))).toEqual([`loop ${second}`]);
    expect(await world.catalog.restore(first)).toEqual({ kind: 'loop', id: first });
    expect(readdirSync(join(world.services.config.layout.loop, 'archive'))).toEqual([first]);
    expect(openLoops(world.services).get()?.sessionId).toBe(second);
  });

  it('nothing is put back over something in its place', async () => {
    await using world = await catalogWorld();
    await world.talk('my-talk');
    await world.catalog.remove({ kind: 'conversation', id: 'my-talk' });
    await world.talk('my-talk', { agent: 'new' });
    const loop = await world.loop();
    await world.catalog.remove({ kind: 'loop', id: loop });
    const other = await world.loop();
    for (const id of ['my-talk', loop])
      await expect(world.catalog.restore(id)).rejects.toMatchObject({ code: 'RESTORE_BLOCKED' });
    expect(world.conversations.get('my-talk').metadata.agent).toBe('new');
    expect(openLoops(world.services).get()?.sessionId).toBe(other);
    expect(await world.catalog.trashed()).toHaveLength(2);
  });

  it('of several with the same id the one deleted last comes back first', async () => {
    await using world = await catalogWorld();
    for (const agent of ['one', 'two']) {
      await world.talk('my-talk', { agent });
      world.clock.advance(1_000);
      await world.catalog.remove({ kind: 'conversation', id: 'my-talk' });
    }
    await world.catalog.restore('my-talk');
    expect(world.conversations.get('my-talk').metadata.agent).toBe('two');
  });

  it('of two change sessions with the same id the last one goes', async () => {
    await using world = await catalogWorld();
    await world.change('mine', { isFlushed: true });
    world.clock.advance(60_000);
    await world.change('mine', { isFlushed: true });
    await world.catalog.remove({ kind: 'change', id: 'mine' });
    expect(await world.catalog.list({ isAll: true })).toMatchObject([
      { createdAt: '2026-03-01T12:00:00.000Z' },
    ]);
  });
});

describe('cleaning', () => {
  it('takes old sessions not in use, of every kind but loops, by the age of each kind', async () => {
    await using world = await catalogWorld();
    const answered = await world.ask({ isAnswered: true });
    const pending = await world.ask();
    await world.talk('old-talk');
    await world.talk('run-old', { isHidden: true });
    await world.launch();
    const loop = await world.loop();
    await world.change('worker', { isFlushed: true });
    world.clock.advance(8 * DAY_MS);
    expect(names((await world.catalog.clean({})).retired)).toEqual([`question ${answered}`]);
    world.clock.advance(23 * DAY_MS);
    await world.talk('new-talk');
    const report = await world.catalog.clean({});
    expect(names(report.retired).sort()).toEqual([
      'change worker',
      'conversation old-talk',
      'conversation run-old',
      `process ${PROCESS_ID}`,
    ]);
    expect(names(report.purged)).toEqual([`question ${answered}`]);
    expect(names(await world.catalog.list({ isAll: true })).sort()).toEqual([
      'conversation new-talk',
      `loop ${loop}`,
      `question ${pending}`,
    ]);
  });

  it('a dry run reports the same and touches nothing', async () => {
    await using world = await catalogWorld();
    await world.talk('old-talk');
    await world.launch();
    await world.change('worker', { isFlushed: true });
    await world.ask({ isAnswered: true });
    world.clock.advance(31 * DAY_MS);
    const before = treeOf(world.app.dir.path);
    const dry = await world.catalog.clean({ isDryRun: true });
    expect(treeOf(world.app.dir.path)).toEqual(before);
    expect(dry.retired).toHaveLength(4);
    expect(await world.catalog.clean({})).toEqual(dry);
  });

  it('leaves what is in use or not in design.md yet, and says so', async () => {
    await using world = await catalogWorld();
    await world.launch();
    using _owned = await world.processStore.hold(PROCESS_ID);
    await world.change('worker', { learning: 'never twice' });
    await openChanges(world.services).release('add-login', 'gone');
    using talk = await world.conversations.create({ id: 'open', agent: 'qa' });
    talk.addUserTurn('hello');
    world.clock.advance(100 * DAY_MS);
    for (const isDryRun of [true, false]) {
      const { retired, skipped } = await world.catalog.clean({ olderThanMs: 0, isDryRun });
      expect(retired).toEqual([]);
      expect(skipped.map(({ kind, reason }) => [kind, reason])).toEqual([
        ['conversation', 'somebody has it open'],
        ['change', expect.stringContaining('holdfast change recover worker')],
        ['process', 'it is in use'],
      ]);
    }
  });

  it('takes only the named kind', async () => {
    await using world = await catalogWorld();
    await world.talk('old-talk');
    await world.launch();
    world.clock.advance(2 * DAY_MS);
    expect(names((await world.catalog.clean({ kind: 'process', olderThanMs: DAY_MS })).retired)).toEqual([
      `process ${PROCESS_ID}`,
    ]);
    expect((await world.catalog.clean({ kind: 'loop', olderThanMs: 0 })).retired).toEqual([]);
    expect(names(await world.catalog.list({ isAll: true }))).toEqual(['conversation old-talk']);
  });

  it('a process session that came back to life in the meantime stays', async () => {
    await using world = await catalogWorld();
    await world.launch();
    const isOld = () => false;
    expect(await world.processStore.removeIf(PROCESS_ID, isOld)).toBe(false);
    expect(existsSync(join(world.processStore.directory, PROCESS_ID))).toBe(true);
  });
});

describe('a process session whose process died before it wrote a record', () => {
  const days = { kind: 'process', olderThanMs: 30 * DAY_MS } as const;

  /** Its directory, with the lock of its dead process, as old as the world. */
  async function killedEarly(world: CatalogWorld): Promise<string> {
    await world.launch();
    const path = join(world.processStore.directory, PROCESS_ID);
    rmSync(join(path, 'session.json'));
    writeFileSync(join(path, 'session.lock.9'), '');
    utimesSync(path, world.clock.now(), world.clock.now());
    return path;
  }

  it('goes to the trash once its directory is old enough, and not before', async () => {
    await using world = await catalogWorld();
    const path = await killedEarly(world);
    world.clock.advance(30 * DAY_MS - 1_000);
    expect(await world.catalog.clean(days)).toMatchObject({ retired: [], skipped: [] });
    world.clock.advance(2_000);
    const ref = { kind: 'process', id: PROCESS_ID };
    const before = treeOf(world.app.dir.path);
    expect((await world.catalog.clean({ ...days, isDryRun: true })).retired).toEqual([ref]);
    expect(treeOf(world.app.dir.path)).toEqual(before);
    expect((await world.catalog.clean(days)).retired).toEqual([ref]);
    expect(existsSync(path)).toBe(false);
    expect(await world.catalog.trashed('process')).toMatchObject([ref]);
  });

  it('stays while somebody holds it', async () => {
    await using world = await catalogWorld();
    const path = await killedEarly(world);
    using _held = await world.processStore.hold(PROCESS_ID);
    utimesSync(path, world.clock.now(), world.clock.now());
    world.clock.advance(100 * DAY_MS);
    expect(await world.catalog.clean(days)).toMatchObject({
      retired: [],
      skipped: [{ id: PROCESS_ID, reason: 'it is in use' }],
    });
    expect(existsSync(path)).toBe(true);
  });
});

describe('the trash', () => {
  it('can be emptied of everything, or of what is older', async () => {
    await using world = await catalogWorld();
    await world.talk('one');
    await world.catalog.remove({ kind: 'conversation', id: 'one' });
    world.clock.advance(10 * DAY_MS);
    const loop = await world.loop();
    await world.catalog.remove({ kind: 'loop', id: loop });
    await world.launch();
    await world.catalog.remove({ kind: 'process', id: PROCESS_ID });
    expect(names((await world.catalog.emptyTrash({ olderThanMs: 9 * DAY_MS })).removed)).toEqual([
      'conversation one',
    ]);
    expect(names((await world.catalog.emptyTrash({ kind: 'loop' })).removed)).toEqual([`loop ${loop}`]);
    expect(names((await world.catalog.emptyTrash()).removed)).toEqual([`process ${PROCESS_ID}`]);
    expect(await world.catalog.trashed()).toEqual([]);
    expect(await world.catalog.emptyTrash()).toEqual({ removed: [], failed: [] });
  });

  it('has the permissions that hooks asked for too, although they are kept apart', async () => {
    await using world = await catalogWorld();
    const asker = { agent: 'claude', asks: 'permission', hook: 'conversation-1' };
    const { id } = await world.services.questions.create([question()], { asker });
    await world.services.questions.cancel(id, 'the agent went on');
    const other = await world.ask();
    const before = await world.catalog.list({ isAll: true });
    await world.catalog.remove({ kind: 'question', id });
    await world.catalog.remove({ kind: 'question', id: other });
    expect(names(await world.catalog.trashed()).sort()).toEqual(
      [`question ${id}`, `question ${other}`].sort(),
    );
    await world.catalog.restore(id);
    await world.catalog.restore(other);
    expect(await world.catalog.list({ isAll: true })).toEqual(before);
    expect(existsSync(join(world.services.config.layout.permissions, id))).toBe(true);
    await world.catalog.remove({ kind: 'question', id });
    expect(names((await world.catalog.emptyTrash()).removed)).toEqual([`question ${id}`]);
    expect(await world.catalog.trashed()).toEqual([]);
  });

  it('ignores names that we did not give', async () => {
    await using world = await catalogWorld();
    await world.talk('one');
    await world.catalog.remove({ kind: 'conversation', id: 'one' });
    const { layout } = world.services.config;
    for (const directory of [
      join(layout.conversations, '.holdfast', 'trash'),
      layout.questionTrash,
      layout.processTrash,
    ]) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      for (const name of ['x.jsonl', 'a b', '..']) mkdirSync(join(directory, `20260301T120000000Z-${name}`));
    }
    expect(names(await world.catalog.trashed())).toEqual(['conversation one']);
    await expect(world.catalog.restore('x.jsonl')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringContaining('holdfast sessions trash'),
    });
  });

  it('is visible to another instance, as to another process', async () => {
    await using world = await catalogWorld();
    await world.talk('one');
    await world.catalog.remove({ kind: 'conversation', id: 'one' });
    expect(names(await openCatalog(world.app.services({ clock: world.clock })).trashed())).toEqual([
      'conversation one',
    ]);
  });
});
