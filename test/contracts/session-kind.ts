import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogKinds } from '../../src/app/sessions/open-catalog.js';
import type { CatalogKind, SessionKind, SessionRef } from '../../src/catalog/index.js';
import { forceUnlock, type LockTools } from '../../src/storage/index.js';
import { type CatalogWorld, catalogWorld } from '../support/catalog-world.js';
import { livingIdentity } from '../support/processes.js';
import { DAY_MS, treeOf } from '../support/question-world.js';

/** A session that is held under its lock. */
export interface HeldInTest extends Disposable {
  /** Changes the session's file. */
  commit(): unknown;
}

/** What the suite needs to know about a kind, besides the verbs that all kinds share. */
export interface SessionKindSetup {
  readonly kind: SessionKind;
  /** Creates a session without an owner, and returns its id. */
  create(world: CatalogWorld): Promise<string>;
  /** Takes a session as a process with these tools would. */
  hold(world: CatalogWorld, id: string, tools: LockTools): Promise<HeldInTest>;
  /** The file that a commit changes. */
  file(world: CatalogWorld, id: string): string;
  lockPath(world: CatalogWorld, id: string): string;
  /** Adds something unknown to the file, and returns the text that must survive. */
  addUnknown(path: string): string;
  /** Turns the file into one written by a newer release. */
  makeNewer(path: string): void;
  /** Puts a session into a state in which it may be cleaned up; or why no session of this kind ever may be. */
  readonly retirable: ((world: CatalogWorld, id: string) => Promise<void>) | { readonly never: string };
  /** Puts a session into a state in which it may be removed, if it is not in one yet. */
  end?(world: CatalogWorld, id: string): Promise<void>;
  /** Whether `recover` gets the session back when its file holds only half a record; or why it cannot. */
  readonly mends: true | { readonly never: string };
  /** The error for removing a session that is held. */
  readonly refusesWith: 'LOCKED' | 'CHANGE_LOCKED';
}

/** What every kind of session must comply with, whatever its files look like. */
export function describeSessionKind(setup: SessionKindSetup): void {
  const { kind } = setup;

  /** A world with one session in it. */
  async function worldWithOne(): Promise<CatalogWorld & { readonly ref: SessionRef; hold: Hold }> {
    const world = await catalogWorld();
    const id = await setup.create(world);
    world.clock.advance(60_000);
    const { tools } = world.services;
    const hold: Hold = (overrides = {}) => setup.hold(world, id, { ...tools, ...overrides });
    return { ...world, ref: { kind, id }, hold };
  }

  /** The verbs as the kind itself implements them. */
  function kindOf(world: CatalogWorld): CatalogKind {
    const found = catalogKinds(world.services).find((one) => one.kind === kind);
    if (found === undefined) throw new Error(`there is no ${kind} kind`);
    return found;
  }

  describe(`the ${kind} kind`, () => {
    it('lists and gets what was created', async () => {
      await using world = await worldWithOne();
      const listed = await world.catalog.list({ kind, isAll: true });
      expect(listed).toMatchObject([{ ...world.ref, isDamaged: false }]);
      expect(await world.catalog.summarize(world.ref)).toMatchObject(world.ref);
      expect(JSON.stringify(await world.catalog.get(world.ref))).toContain(world.ref.id);
      expect(await world.catalog.verify(world.ref)).toEqual({ ...world.ref, faults: [] });
    });

    it('says which session there is not', async () => {
      await using world = await worldWithOne();
      const unknown = { kind, id: absentId(world.ref.id) };
      await expect(world.catalog.get(unknown)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      await expect(world.catalog.verify(unknown)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      await expect(world.catalog.remove(unknown)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });

    it('is held by one at a time in one process, and free once that one is disposed of', async () => {
      await using world = await worldWithOne();
      const first = await world.hold();
      await expect(world.hold()).rejects.toMatchObject({ code: 'LOCKED' });
      first[Symbol.dispose]();
      using second = await world.hold();
      second.commit();
    });

    it('refuses a second process and names the first', async () => {
      await using world = await worldWithOne();
      using other = await livingIdentity();
      using _theirs = await world.hold({ identity: other, command: 'holdfast elsewhere' });
      await expect(world.hold()).rejects.toMatchObject({
        code: 'LOCKED',
        state: { hold: 'held', owner: { pid: other.pid, command: 'holdfast elsewhere' } },
      });
    });

    it('is whole on disk when a commit returns, and nothing else ran meanwhile', async () => {
      await using world = await worldWithOne();
      using held = await world.hold();
      const path = setup.file(world, world.ref.id);
      const before = readFileSync(path, 'utf8');
      let hasRun = false;
      queueMicrotask(() => {
        hasRun = true;
      });
      const result = held.commit();
      expect(hasRun).toBe(false);
      expect(result).not.toBeInstanceOf(Promise);
      expect(readFileSync(path, 'utf8')).not.toBe(before);
      expect(await world.catalog.verify(world.ref)).toMatchObject({ faults: [] });
    });

    it('refuses the next commit after its lock was taken away', async () => {
      await using world = await worldWithOne();
      using held = await world.hold();
      const path = setup.file(world, world.ref.id);
      const before = readFileSync(path, 'utf8');
      forceUnlock(world.services.tools, setup.lockPath(world, world.ref.id));
      expect(() => held.commit()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
      expect(readFileSync(path, 'utf8')).toBe(before);
    });

    it('keeps what it does not know through a change', async () => {
      await using world = await worldWithOne();
      const path = setup.file(world, world.ref.id);
      const unknown = setup.addUnknown(path);
      using held = await world.hold();
      held.commit();
      expect(readFileSync(path, 'utf8')).toContain(unknown);
    });

    it('reads a file of a newer release and does not write it', async () => {
      await using world = await worldWithOne();
      const path = setup.file(world, world.ref.id);
      setup.makeNewer(path);
      const before = readFileSync(path, 'utf8');
      expect(await world.catalog.list({ kind, isAll: true })).toMatchObject([world.ref]);
      expect(JSON.stringify(await world.catalog.get(world.ref))).toContain(world.ref.id);
      await expect(holdAndCommit(world.hold)).rejects.toMatchObject({ code: 'NEWER_VERSION' });
      expect(readFileSync(path, 'utf8')).toBe(before);
    });

    it('tells damage with its place, and mending deletes nothing', async () => {
      await using world = await worldWithOne();
      const path = setup.file(world, world.ref.id);
      writeFileSync(path, DAMAGED);
      const [damaged] = await world.catalog.list({ kind, isAll: true });
      expect(damaged).toMatchObject({ kind, isDamaged: true });
      // What cannot be read may have lost its id.
      const ref = { kind, id: damaged?.id ?? '' };
      const { faults } = await world.catalog.verify(ref);
      expect(faults).not.toEqual([]);
      for (const { detail, line } of faults) expect(line ?? detail).toEqual(expect.anything());
      expect(faults.some(({ detail, line }) => line !== null || detail.includes('.json'))).toBe(true);
      const left = await world.catalog.recover(ref).then(
        (report) => report.left,
        (error) => {
          expect(error).toMatchObject({ code: 'DOCUMENT_DAMAGED' });
          return faults;
        },
      );
      // Once mended, it has its own id again.
      const after = (await world.catalog.verify(setup.mends === true ? world.ref : ref)).faults;
      // What cannot be mended is left as it is, and keeps being reported.
      expect([left.length, after]).toEqual(setup.mends === true ? [0, []] : [faults.length, faults]);
      const kept = Object.values(treeOf(world.app.dir.path));
      expect(kept.some((entry) => entry.endsWith(` ${Buffer.from(DAMAGED).toString('base64')}`))).toBe(true);
    });

    it('goes to the trash when it is removed, and comes back as it was', async () => {
      await using world = await worldWithOne();
      await setup.end?.(world, world.ref.id);
      const before = await world.catalog.export(world.ref, 'json');
      await world.catalog.remove(world.ref);
      expect(await world.catalog.list({ kind, isAll: true })).toEqual([]);
      expect(await world.catalog.trashed(kind)).toMatchObject([world.ref]);
      expect(await world.catalog.restore(world.ref.id, kind)).toEqual(world.ref);
      expect(await world.catalog.export(world.ref, 'json')).toBe(before);
      expect(await world.catalog.trashed(kind)).toEqual([]);
    });

    it('is not removed while somebody holds it', async () => {
      await using world = await worldWithOne();
      using held = await world.hold();
      await expect(world.catalog.remove(world.ref)).rejects.toMatchObject({ code: setup.refusesWith });
      held.commit();
    });

    it('is exported as JSON and as Markdown, with its id', async () => {
      await using world = await worldWithOne();
      const json = await world.catalog.export(world.ref, 'json');
      expect(JSON.stringify(JSON.parse(json))).toContain(world.ref.id);
      expect(await world.catalog.export(world.ref, 'md')).toContain(world.ref.id);
    });

    it('never names what is live or pending as retirable, however old', async () => {
      await using world = await worldWithOne();
      using _held = await world.hold();
      world.clock.advance(1_000 * DAY_MS);
      const named = [...kindOf(world).retirable(world.clock.now().getTime())].map((one) => one.look());
      for (const facts of named) expect(facts === undefined || facts.kept !== undefined).toBe(true);
      const dry = await world.catalog.clean({ kind, olderThanMs: 0, isDryRun: true });
      expect(dry.retired).toEqual([]);
      expect((await world.catalog.clean({ kind, olderThanMs: 0 })).retired).toEqual([]);
      expect(await world.catalog.list({ kind, isAll: true })).toMatchObject([world.ref]);
    });

    if ('never' in setup.retirable)
      it(`has nothing retirable: ${setup.retirable.never}`, async () => {
        await using world = await worldWithOne();
        world.clock.advance(1_000 * DAY_MS);
        expect([...kindOf(world).retirable(world.clock.now().getTime())]).toEqual([]);
        expect(await world.catalog.clean({ kind, olderThanMs: 0 })).toMatchObject({
          retired: [],
          skipped: [],
        });
      });
    else retires(setup.retirable);
  });

  function retires(finish: (world: CatalogWorld, id: string) => Promise<void>): void {
    it('is retired to the trash once it is over and old enough, and not before', async () => {
      await using world = await worldWithOne();
      await finish(world, world.ref.id);
      const old = { kind, olderThanMs: DAY_MS };
      const looks = () =>
        [...kindOf(world).retirable(world.clock.now().getTime() - DAY_MS)].map((one) => one.look());
      expect(looks()).toEqual([undefined]);
      expect((await world.catalog.clean(old)).retired).toEqual([]);
      world.clock.advance(DAY_MS + 60_000);
      expect(looks()).toEqual([expect.not.objectContaining({ kept: expect.any(String) })]);
      expect((await world.catalog.clean({ ...old, isDryRun: true })).retired).toEqual([world.ref]);
      expect(await world.catalog.list({ kind, isAll: true })).toHaveLength(1);
      expect((await world.catalog.clean(old)).retired).toEqual([world.ref]);
      expect(await world.catalog.trashed(kind)).toMatchObject([world.ref]);
      world.clock.advance(7 * DAY_MS + 60_000);
      expect((await world.catalog.clean(old)).purged).toEqual([world.ref]);
      expect(await world.catalog.trashed(kind)).toEqual([]);
    });
  }
}

type Hold = (overrides?: Partial<LockTools>) => Promise<HeldInTest>;

const DAMAGED = '{"half": "a reco';

async function holdAndCommit(hold: Hold): Promise<void> {
  using held = await hold();
  held.commit();
}

/** An id of the same shape that does not exist. */
function absentId(id: string): string {
  return id.replace(/[^-]{4}$/, (end) => (end === 'aaaa' ? 'bbbb' : 'aaaa'));
}
