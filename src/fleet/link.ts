import {
  type Clock,
  isHoldfastError,
  type Logger,
  messageOf,
  sleepOrHint,
  VERSION,
} from '../foundation/index.js';
import { channelOf, FleetRuleError, type Hub } from '../hub/index.js';
import type { QuestionSessions, QuestionView } from '../sessions/question/index.js';
import { applyRequest } from './apply-request.js';
import type { Door } from './door.js';
import { rowOfQuestion } from './mirrored-question.js';
import type { OwnMachine } from './own-machine.js';
import type { SentRequests } from './sent-requests.js';

export interface LinkOptions {
  readonly door: Door;
  readonly machine: OwnMachine;
  readonly bootId: string;
  readonly questions: QuestionSessions;
  readonly sent: SentRequests;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told when the link is up, with whether the database's calls arrive, and when it is cut, with the reason. */
  readonly onState?: ((state: LinkState) => void) | undefined;
}

export type LinkState =
  | { readonly is: 'up'; readonly hears: boolean }
  | { readonly is: 'down'; readonly reason: string };

/** A look at everything in case nothing was called out, and a sign of life. */
const LOOK_MS = 5_000;
const BEAT_MS = 20_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const MAX_ROWS = 100;

/**
 * What keeps a machine and the hub in step. The files are compared with what the hub has, again and again, so that nothing need
 * be remembered about what was sent: a crash, an outage or an old backup is a difference like any other.
 */
export class Link {
  readonly #options: LinkOptions;
  /** What the hub has of this machine. */
  #stamps = new Map<string, string>();

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Holds the link until the signal fires. Never throws: what fails is said and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, onState } = this.#options;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        const hub = await this.#options.door.open();
        pauseMs = FIRST_PAUSE_MS;
        await this.#serve(hub, signal);
      } catch (error) {
        if (!isHoldfastError(error)) log.error('fleet.link-failed', { error: messageOf(error) });
        onState?.({ is: 'down', reason: messageOf(error) });
        log.info('fleet.link-down', { reason: messageOf(error), retryMs: pauseMs });
      }
      if (signal.aborted) break;
      await clock.sleep(pauseMs, signal).catch(() => {});
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }

  /** One look in both directions, for a command that happens to be here. Throws as the hub. */
  async pass(hub: Hub): Promise<void> {
    const { machine, bootId } = this.#options;
    await hub.beat(machine.id, bootId, VERSION);
    this.#stamps = await hub.stamps(machine.id, 'question');
    await this.#mirror(hub, await this.#options.questions.listLive());
    await this.#applyAll(hub);
    await this.#sendAgain(hub);
  }

  async #serve(hub: Hub, signal: AbortSignal): Promise<void> {
    const { machine, bootId, questions, clock, onState } = this.#options;
    const { connection } = hub;
    let wake = () => {};
    let isAsked = true;
    const changed = new Set<string | null>();
    const note = (id: string | null) => {
      changed.add(id);
      wake();
    };
    connection.onEnd(() => wake());
    const channel = channelOf(machine.id);
    await connection.listen(channel, () => {
      isAsked = true;
      wake();
    });
    using _watch = closing(questions.watch(note));
    await this.pass(hub);
    onState?.({ is: 'up', hears: await this.#options.door.isHeard(hub, channel) });
    let beatAt = clock.monotonicMs();
    while (!signal.aborted && connection.isOpen) {
      if (isAsked) {
        isAsked = false;
        await this.#applyAll(hub);
      }
      if (changed.size > 0) await this.#mirrorChanged(hub, take(changed));
      if (clock.monotonicMs() - beatAt >= BEAT_MS) {
        beatAt = clock.monotonicMs();
        await hub.beat(machine.id, bootId, VERSION);
      }
      if (isAsked || changed.size > 0) continue;
      const lookedAt = clock.monotonicMs();
      await sleepOrHint(
        clock,
        LOOK_MS,
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
        signal,
      );
      if (clock.monotonicMs() - lookedAt >= LOOK_MS) {
        isAsked = true;
        // An asker dies and a set runs out of time without a trace on the disk.
        changed.add(null);
      }
    }
  }

  async #mirrorChanged(hub: Hub, ids: ReadonlySet<string | null>): Promise<void> {
    const { questions } = this.#options;
    if (ids.has(null)) return this.#mirror(hub, await questions.listLive());
    const views: QuestionView[] = [];
    for (const id of ids) {
      try {
        if (id !== null) views.push(await questions.get(id));
      } catch (error) {
        if (!isHoldfastError(error, 'SESSION_NOT_FOUND')) throw error;
        return this.#mirror(hub, await questions.listLive());
      }
    }
    await this.#sendRows(hub, views, []);
  }

  /** All that the files say, and what they say no more. */
  async #mirror(hub: Hub, views: readonly QuestionView[]): Promise<void> {
    const there = new Set(views.map(({ id }) => id));
    await this.#sendRows(
      hub,
      views,
      [...this.#stamps.keys()].filter((id) => !there.has(id)),
    );
  }

  async #sendRows(hub: Hub, views: readonly QuestionView[], gone: readonly string[]): Promise<void> {
    const { machine } = this.#options;
    const rows = views.map(rowOfQuestion).filter(({ id, stamp }) => this.#stamps.get(id) !== stamp);
    for (let at = 0; at < rows.length || (at === 0 && gone.length > 0); at += MAX_ROWS) {
      const part = rows.slice(at, at + MAX_ROWS);
      await hub.mirror(machine.id, 'question', part, at === 0 ? gone : []);
      for (const { id, stamp } of part) this.#stamps.set(id, stamp);
    }
    for (const id of gone) this.#stamps.delete(id);
  }

  async #applyAll(hub: Hub): Promise<void> {
    const { machine, questions, log } = this.#options;
    const { rows, refused } = await hub.takeRequests(machine.id);
    if (refused > 0) log.warn('fleet.requests-ignored', { count: refused });
    for (const request of rows) {
      const done = await applyRequest(questions, request);
      if (done === undefined) continue;
      const { state, reply, view } = done;
      const mirrored = view === undefined ? [] : [rowOfQuestion(view)];
      await hub.settle(machine.id, { id: request.id, state, reply }, { kind: 'question', rows: mirrored });
      for (const { id, stamp } of mirrored) this.#stamps.set(id, stamp);
      log.info('fleet.request-settled', { request: request.id, kind: request.kind, state });
    }
  }

  /** What this machine sent and the hub does not know: it was restored from before then, or lost its last moments. */
  async #sendAgain(hub: Hub): Promise<void> {
    const { machine, sent, log } = this.#options;
    for (const request of sent.list()) {
      if ((await hub.request(request.id)) !== undefined) continue;
      try {
        await hub.send(machine.id, request);
        log.info('fleet.request-sent-again', { request: request.id });
      } catch (error) {
        // Told to the person when they look next: see news.ts.
        if (!(error instanceof FleetRuleError)) throw error;
      }
    }
  }
}

function take<Item>(set: Set<Item>): ReadonlySet<Item> {
  const taken = new Set(set);
  set.clear();
  return taken;
}

function closing(watch: { close(): void }): Disposable {
  return { [Symbol.dispose]: () => watch.close() };
}
