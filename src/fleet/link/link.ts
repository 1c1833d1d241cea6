import {
  type Clock,
  isHoldfastError,
  type Logger,
  messageOf,
  sleepOrHint,
  VERSION,
} from '../../foundation/index.js';
import {
  channelOf,
  FleetRuleError,
  type Hub,
  type MirroredKind,
  type MirrorRow,
  type RequestRow,
} from '../../hub/index.js';
import type { QuestionSessions, QuestionView } from '../../sessions/question/index.js';
import type { Door } from '../door.js';
import { machineOut, sharedIdentity } from '../errors.js';
import type { OwnMachine } from '../own-machine.js';
import { rowOfQuestion } from '../questions/mirrored-question.js';
import { applyRunRequest } from '../runs/apply-run-request.js';
import { rowOfRun } from '../runs/mirrored-run.js';
import { isTold, type OwnRuns, RunMirror } from '../runs/own-runs.js';
import { applyRequest } from './apply-request.js';
import { isNotTaken, Mirror } from './mirror.js';
import { News, Periodic } from './news.js';
import { Pauses } from './pauses.js';
import type { SentRequests } from './sent-requests.js';

export interface LinkOptions {
  readonly door: Door;
  readonly machine: OwnMachine;
  readonly bootId: string;
  readonly questions: QuestionSessions;
  /** Loaded when the link is first used. */
  readonly runs: () => Promise<OwnRuns>;
  readonly sent: SentRequests;
  readonly clock: Clock;
  readonly log: Logger;
  /** Settles this machine's runs that continued elsewhere. Throws as the hub. */
  readonly settleLeft?: ((hub: Hub) => Promise<void>) | undefined;
  /** Called when the link is up, with whether the database's notifications arrive, and when it is cut, with the reason. */
  readonly onState?: ((state: LinkState) => void) | undefined;
}

export type LinkState =
  | { readonly is: 'up'; readonly hears: boolean }
  /** `isOut`: this machine is no longer in the fleet, until it joins again. */
  | { readonly is: 'down'; readonly reason: string; readonly isOut: boolean };

/** How often to look at everything in case a notification was missed; if they do arrive, this is not urgent. */
const LOOK_MS = 5_000;
const HEARD_LOOK_MS = 20_000;
/** What leaves no trace on disk (an asker that died, a set that expired) is seen elsewhere at most this much later. */
const SILENT_MS = 10_000;
/** How often the machine gives a sign of life. */
const BEAT_MS = 20_000;
/** A working run changes often: its row is sent at most this often. */
const RUNS_MS = 1_000;
/** How often to look for archived runs that were removed, and to tidy the mirror. */
const ALL_RUNS_MS = 3_600_000;
/** How many requests are taken at once. */
const MAX_REQUESTS = 100;
/** A machine that has given a sign within this time is up. */
const UP_SECONDS = 60;

/**
 * Keeps a machine and the hub in step. It compares the files with what the hub has, again and again, so it need not
 * remember what was sent: a crash, an outage or an old backup is a difference like any other.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #questionMirror: Mirror;
  readonly #runMirror: Mirror;
  #runs: OwnRuns | undefined;
  #incarnation: string | undefined;
  readonly #pauses = new Pauses();

  constructor(options: LinkOptions) {
    const { machine, clock, log } = options;
    this.#options = options;
    this.#questionMirror = new Mirror(machine.id, 'question', { clock, log });
    this.#runMirror = new Mirror(machine.id, 'run', { clock, log });
  }

  /** Keeps the link until the signal fires. Never throws: a failure is reported and retried. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      let failure: unknown;
      try {
        await this.#serve(await this.#options.door.open(), signal);
      } catch (error) {
        failure = error;
      }
      if (signal.aborted) break;
      const retryMs = this.#pauses.after(failure);
      if (failure !== undefined) this.#tellDown(failure, retryMs);
      await clock.sleep(retryMs, signal).catch(() => {});
    }
  }

  #tellDown(failure: unknown, retryMs: number): void {
    const { log, onState } = this.#options;
    const reason = messageOf(failure);
    if (!isHoldfastError(failure)) log.error('fleet.link-failed', { error: reason });
    onState?.({ is: 'down', reason, isOut: failure instanceof FleetRuleError && failure.rule === 'removed' });
    log.info('fleet.link-down', { reason, retryMs });
  }

  /** One look in both directions, for a single command. Throws as the hub. */
  async pass(hub: Hub): Promise<void> {
    const runs = await this.#ownRuns();
    await this.#passOn(hub, new RunMirror(runs, this.#runMirror));
  }

  async #passOn(hub: Hub, runs: RunMirror): Promise<void> {
    await this.#beat(hub);
    // A run that continued elsewhere while this machine was away is no longer this machine's to mirror.
    await this.#options.settleLeft?.(hub);
    await this.#questionMirror.load(hub);
    await this.#mirror(hub, await this.#options.questions.listLive());
    await this.#runMirror.load(hub);
    await runs.sendAll(hub);
    await this.#applyAll(hub);
    await this.#sendAgain(hub);
  }

  async #serve(hub: Hub, signal: AbortSignal): Promise<void> {
    const { machine, questions, clock, onState } = this.#options;
    const { connection } = hub;
    const runs = await this.#ownRuns();
    const mirror = new RunMirror(runs, this.#runMirror);
    const news = new News();
    // A failure below leaves the connection open, and the next attempt listens to it again.
    using _end = connection.onEnd(() => news.wake());
    const channel = channelOf(machine.id);
    using _calls = await connection.listen(channel, () => news.noteAsked());
    using _watch = closing(questions.watch((id) => news.noteQuestion(id)));
    using _runs = closing(runs.watch(() => news.noteRuns()));
    await this.#passOn(hub, mirror);
    await this.#tidy(hub);
    // Not before now: a database that can be reached but accepts nothing must not be asked twice a second.
    this.#pauses.reset();
    const hears = await this.#options.door.isHeard(hub, channel);
    onState?.({ is: 'up', hears });
    const [beat, look] = [new Periodic(clock, BEAT_MS), new Periodic(clock, hears ? SILENT_MS : LOOK_MS)];
    const asked = new Periodic(clock, hears ? HEARD_LOOK_MS : LOOK_MS);
    const [hourly, runsTurn] = [new Periodic(clock, ALL_RUNS_MS), new Periodic(clock, RUNS_MS)];
    while (!signal.aborted && connection.isOpen) {
      if (look.isDue()) {
        if (asked.isDue()) news.noteAsked();
        await this.#sendAgain(hub);
        if (await this.#isSomethingSilent()) news.noteQuestion(null);
        // A process that ran one also dies without a trace on disk.
        runs.look();
        news.noteRuns();
      }
      if (news.takeAsked()) await this.#applyAll(hub);
      const changed = news.takeQuestions();
      if (changed.size > 0) await this.#mirrorChanged(hub, changed);
      if (news.hasRuns && runsTurn.isDue() && news.takeRuns()) await mirror.sendChanged(hub);
      if (beat.isDue() && (await this.#beat(hub))) await this.#passOn(hub, mirror);
      if (hourly.isDue()) {
        await mirror.sendAll(hub);
        await this.#tidy(hub);
      }
      if (!news.isEmpty) continue;
      const untilMs = news.hasRuns ? Math.min(look.leftMs, runsTurn.leftMs) : look.leftMs;
      await sleepOrHint(clock, untilMs, news.next(), signal);
    }
  }

  async #ownRuns(): Promise<OwnRuns> {
    this.#runs ??= await this.#options.runs();
    return this.#runs;
  }

  async #tidy(hub: Hub): Promise<void> {
    const removed = await hub.tidy();
    if (removed > 0) this.#options.log.info('fleet.tidied', { removed });
  }

  /**
   * Gives a sign of life. True if the database is no longer the same one: an old state of it was restored. Throws
   * FLEET_RULE if this machine was removed, or if another one gives signs under its identity; the one that started last
   * keeps it.
   */
  async #beat(hub: Hub): Promise<boolean> {
    const { machine, bootId, clock } = this.#options;
    const last = await hub.lastSign(machine.id);
    // A machine that was removed is not let in automatically.
    const out = last.isOut ? await hub.out(machine.id) : undefined;
    if (out !== undefined) throw machineOut(machine.name, out, clock.now());
    // The backup is from before we joined.
    if (last.bootId === undefined) await hub.join({ ...machine, bootId, version: VERSION });
    const isOurs = (last.bootId ?? bootId) === bootId || last.quietSeconds > UP_SECONDS;
    if (this.#incarnation !== undefined && !isOurs) throw sharedIdentity(machine.name);
    await hub.beat(machine.id, bootId, VERSION);
    const isAnother = this.#incarnation !== undefined && this.#incarnation !== last.incarnation;
    this.#incarnation = last.incarnation;
    return isAnother;
  }

  /** An asker dies and a set expires without a trace on disk; for this only the waiting sets are read. */
  async #isSomethingSilent(): Promise<boolean> {
    const { questions } = this.#options;
    const mirror = this.#questionMirror;
    if (!mirror.hasExactly(questions.ids())) return true;
    for (const id of mirror.waiting()) {
      const view = await viewOrNone(questions, id);
      if (view === undefined || !mirror.has(rowOfQuestion(view))) return true;
    }
    return false;
  }

  async #mirrorChanged(hub: Hub, ids: ReadonlySet<string | null>): Promise<void> {
    const { questions } = this.#options;
    if (ids.has(null)) return this.#mirror(hub, await questions.listLive());
    const views: QuestionView[] = [];
    for (const id of ids) {
      const view = id === null ? undefined : await viewOrNone(questions, id);
      if (view === undefined) return this.#mirror(hub, await questions.listLive());
      views.push(view);
    }
    await this.#questionMirror.send(hub, views.map(rowOfQuestion), []);
  }

  /** Sends everything that the files say, and what is no longer in them. */
  async #mirror(hub: Hub, views: readonly QuestionView[]): Promise<void> {
    const gone = this.#questionMirror.others(new Set(views.map(({ id }) => id)));
    await this.#questionMirror.send(
      hub,
      views.map(rowOfQuestion),
      gone.map(({ id }) => id),
    );
  }

  async #applyAll(hub: Hub): Promise<void> {
    const { machine, log } = this.#options;
    for (let isMore = true; isMore; ) {
      const { rows, refused } = await hub.takeRequests(machine.id);
      if (refused > 0) log.warn('fleet.requests-ignored', { count: refused });
      let settled = 0;
      for (const request of rows) settled += (await this.#apply(hub, request)) ? 1 : 0;
      isMore = settled > 0 && rows.length === MAX_REQUESTS;
    }
  }

  async #apply(hub: Hub, request: RequestRow): Promise<boolean> {
    const { log } = this.#options;
    const done =
      request.session_kind === 'run' ? await this.#applyToRun(request) : await this.#applyToSet(request);
    if (done === undefined) return false;
    await this.#settle(hub, { id: request.id, ...done.settled }, done);
    log.info('fleet.request-settled', { request: request.id, kind: request.kind, state: done.settled.state });
    return true;
  }

  /** If the mirror does not accept how the session stands now, only the reply is sent. */
  async #settle(hub: Hub, settled: Settled, { mirror, kind, rows }: Decided): Promise<void> {
    const { machine } = this.#options;
    try {
      await hub.settle(machine.id, settled, { kind, rows });
    } catch (error) {
      if (!isNotTaken(error)) throw error;
      await hub.settle(machine.id, settled, { kind, rows: [] });
    }
    mirror.note(rows);
  }

  async #applyToSet(request: RequestRow): Promise<Decided | undefined> {
    const done = await applyRequest(this.#options.questions, request);
    if (done === undefined) return undefined;
    const { state, reply, view } = done;
    const rows = view === undefined ? [] : [rowOfQuestion(view)];
    return { settled: { state, reply }, mirror: this.#questionMirror, kind: 'question', rows };
  }

  async #applyToRun(request: RequestRow): Promise<Decided | undefined> {
    const done = await applyRunRequest(await this.#ownRuns(), request);
    if (done === undefined) return undefined;
    const { state, reply, row } = done;
    const rows = row === undefined || !isTold(row) ? [] : [rowOfRun(row)];
    return { settled: { state, reply }, mirror: this.#runMirror, kind: 'run', rows };
  }

  /**
   * Sends what this machine sent before but the hub does not know: it was restored from an older backup, or lost its
   * last moments.
   */
  async #sendAgain(hub: Hub): Promise<void> {
    const { machine, sent, log } = this.#options;
    for (const request of sent.list()) {
      if (request.refusal !== undefined || (await hub.request(request.id)) !== undefined) continue;
      // The sender may have been told its outcome in the meantime.
      if (!sent.has(request.id)) continue;
      try {
        await hub.send(machine.id, request);
        log.info('fleet.request-sent-again', { request: request.id });
      } catch (error) {
        if (!(error instanceof FleetRuleError)) throw error;
        sent.keep({ ...request, refusal: messageOf(error) });
      }
    }
  }
}

type Settled = Parameters<Hub['settle']>[1];

/** What became of a request, and how its session stands now. */
interface Decided {
  readonly settled: Omit<Settled, 'id'>;
  readonly mirror: Mirror;
  readonly kind: MirroredKind;
  readonly rows: readonly MirrorRow[];
}

async function viewOrNone(questions: QuestionSessions, id: string): Promise<QuestionView | undefined> {
  try {
    return await questions.get(id);
  } catch (error) {
    if (isHoldfastError(error, 'SESSION_NOT_FOUND')) return undefined;
    throw error;
  }
}

function closing(watch: { close(): void }): Disposable {
  return { [Symbol.dispose]: () => watch.close() };
}
