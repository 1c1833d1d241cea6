import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openFleet } from '../../src/app/fleet/open-fleet.js';
import { SentRequests } from '../../src/fleet/index.js';
import { type DatabaseProxy, databaseProxy, type Held, type Point } from '../support/database-proxy.js';
import {
  choosing,
  type FleetWorld,
  fleetWorld,
  inboxOf,
  linked,
  type Member,
} from '../support/fleet-world.js';
import type { Running } from '../support/holdfast-binary.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

type Victim = 'sender' | 'database' | 'link' | 'asker';
type Kind = 'answer' | 'reject';

/** What each side sends to the database for one decision, in this order. */
const OF_SENDER = ['listen hf_m_', 'holdfast.send(', 'where r.id = $1'];
const OF_LINK = ['holdfast.take_requests(', 'holdfast.settle('];
const WHEN = ['before', 'after'] as const;
const points = (statements: readonly string[]): Point[] =>
  statements.flatMap((statement) => WHEN.map((when) => ({ statement, when })));

const ASKED = JSON.stringify([
  { title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }] },
]);

describe.skipIf(POSTGRES === undefined)(
  'a decision on its way, with somebody killed between every two steps',
  () => {
    let world: FleetWorld;
    let fromSender: DatabaseProxy;
    let fromHome: DatabaseProxy;
    let home: Member;
    let person: Member;
    let sent: SentRequests;

    beforeAll(async () => {
      world = await fleetWorld();
      [fromSender, fromHome] = await Promise.all([
        databaseProxy(world.db.port),
        databaseProxy(world.db.port),
      ]);
      home = await world.member('home', { url: fromHome.through(world.db.url) });
      person = await world.member('person', { url: fromSender.through(world.db.url) });
      sent = new SentRequests(person.services.tools, person.services.config.layout.fleet);
    });

    afterAll(async () => {
      await fromSender?.[Symbol.asyncDispose]();
      await fromHome?.[Symbol.asyncDispose]();
      await world?.[Symbol.asyncDispose]();
    });

    const outcomeOf = async (id: string) => (await home.services.questions.get(id)).outcome;
    const isMirrored = async (id: string) =>
      (await world.db.sql('select 1 from holdfast.session where id = $1', [id])).length === 1;
    const words = (kind: Kind) => (kind === 'answer' ? ['A'] : ['--reject', '--reason', 'not now']);

    /** Decides in this process; the asker learns the outcome later. */
    async function decideHere(kind: Kind, id: string): Promise<string> {
      await using inbox = await inboxOf(person);
      try {
        const view =
          kind === 'answer'
            ? await inbox.questions.answer(id, choosing('A'))
            : await inbox.questions.reject(id, 'not now');
        return view.onItsWay === undefined ? 'arrived' : 'on its way';
      } catch (error) {
        return String((error as { code?: string }).code);
      }
    }

    /** Ends one side at once. Whatever it was about to receive or send is lost. */
    async function kill(
      victim: Victim,
      held: Held,
      processes: Partial<Record<Victim, Running>>,
    ): Promise<void> {
      if (victim === 'database') {
        process.kill(held.backend, 'SIGKILL');
        held.cut();
        return;
      }
      const program = processes[victim];
      program?.child.kill('SIGKILL');
      await program?.ended;
      if (victim === 'asker') held.release();
      else held.cut();
    }

    async function play(victim: Victim, kind: Kind, point: Point): Promise<void> {
      const isLinks = OF_LINK.includes(point.statement);
      // The victim is a program; the others are in this process. The link is there first, or the asker would hold it.
      const service =
        victim === 'link'
          ? home.start(['worker', '--slots', '0'], { url: fromHome.through(world.db.url) })
          : undefined;
      let link = service === undefined ? await linked(home) : undefined;
      const asker = victim === 'asker' ? home.start(['ask', ASKED, '--json']) : undefined;
      const [, asked] = asker === undefined ? [] : await asker.printed('stderr', /answer to (\S+)/);
      const id = asked ?? (await home.ask()).id;
      const waited = asker === undefined ? home.services.questions.wait(id) : undefined;
      try {
        await until(() => isMirrored(id));
        const reached = (isLinks ? fromHome : fromSender).holdAt(point);
        const sender =
          victim === 'sender'
            ? person.start(['answer', id, ...words(kind)], { url: fromSender.through(world.db.url) })
            : undefined;
        const told = sender === undefined ? decideHere(kind, id) : undefined;
        await kill(victim, await reached, {
          ...asProcess('sender', sender),
          ...asProcess('link', service),
          ...asProcess('asker', asker),
        });
        link ??= await linked(home);
        const said = sender === undefined ? await told : (await sender.ended).stdout;
        await untilCalm();
        await settle(kind, id, String(said));
        const outcome = await outcomeOf(id);
        if (waited !== undefined) expect(await waited).toEqual(outcome);
      } finally {
        await link?.[Symbol.asyncDispose]();
      }
    }

    const asProcess = (name: Victim, program: Running | undefined) =>
      program === undefined ? {} : { [name]: program };

    /** Waits until the database is up again after whatever was done to it. */
    const untilCalm = () =>
      until(() =>
        world.db.sql('select 1').then(
          () => true,
          () => false,
        ),
      );

    /** The survivors continue; then the decision exists once, or nobody was ever told that it was stored. */
    async function settle(kind: Kind, id: string, said: string): Promise<void> {
      await until(() =>
        person.pass().then(
          () => true,
          () => false,
        ),
      );
      const isKept = sent.list().some(({ session }) => session === id);
      const isStored = (await world.requestsOf(id)).length > 0;
      if (!isKept && !isStored) {
        // Nothing left the sender: it must not have claimed so, and the question is still waiting.
        expect(said).not.toMatch(/arrived|on its way/i);
        expect(await outcomeOf(id)).toEqual({ status: 'pending' });
        expect(await decideHere(kind, id)).toBe('arrived');
      }
      await until(async () => (await outcomeOf(id)).status !== 'pending');
      await until(async () => (await world.requestsOf(id)).every(({ state }) => state === 'applied'));
      const requests = await world.requestsOf(id);
      expect(requests).toHaveLength(1);
      const view = await home.services.questions.get(id);
      expect(view.appliedRequest).toBe(requests[0]?.id);
      expect(view.actor).toBe('fleet:person/owner');
      expect(view.outcome).toMatchObject(
        kind === 'answer' ? { answers: choosing('A') } : { status: 'rejected', reason: 'not now' },
      );
      // Anybody who comes now is told the outcome, and the sender has been told.
      await using inbox = await inboxOf(person);
      await expect(inbox.questions.answer(id, choosing('B'))).rejects.toMatchObject({
        code: 'ALREADY_SETTLED',
      });
      const { onItsWay } = await openFleet(world.services('person')).status();
      expect(onItsWay).toEqual([]);
      expect(sent.list()).toEqual([]);
    }

    const cases: readonly [Victim, readonly Point[]][] = [
      ['sender', points(OF_SENDER)],
      ['database', points([...OF_SENDER, ...OF_LINK])],
      ['link', points(OF_LINK)],
      ['asker', points(['holdfast.send(', ...OF_LINK])],
    ];
    for (const kind of ['answer', 'reject'] as const)
      for (const [victim, at] of cases)
        verifiesNeeding(
          'F05',
          { postgres: true },
          `${kind}: the ${victim} killed at each of ${at.length} steps, it arrives once or was never said to be stored`,
          async () => {
            for (const point of at) await play(victim, kind, point);
          },
        );
  },
);
