import {
  type Clock,
  isHoldfastError,
  type Logger,
  messageOf,
  sleepOrHint,
  VERSION,
} from '../foundation/index.js';
import { channelOf, FleetRuleError, type Hub, type RequestRow } from '../hub/index.js';
import type { QuestionSessions, QuestionView } from '../sessions/question/index.js';
import { applyRequest } from './apply-request.js';
import type { Door } from './door.js';
import { Mirror } from './mirror.js';
import { rowOfQuestion } from './mirrored-question.js';
import { News, Turn } from './news.js';
import type { OwnMachine } from './own-machine.js';
import { applyRunRequest } from './runs/apply-run-request.js';
import { rowOfRun } from './runs/mirrored-run.js';
import { isTold, type OwnRuns, RunMirror } from './runs/own-runs.js';
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
/** A run that works changes often: its row goes up at most this often. */
const RUNS_MS = 1_000;
/** Runs of the archive that were removed are looked for this often, and the mirror is tidied. */
const ALL_RUNS_MS = 3_600_000;

/**
 * What keeps a machine and the hub in step. The files are compared with what the hub has, again and again, so that nothing need
 * be remembered about what was sent: a crash, an outage or an old backup is a difference like any other.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #questionMirror: Mirror;
  readonly #runMirror: Mirror;
  #runs: OwnRuns | undefined;

  constructor(options: LinkOptions) {
    const { machine, clock } = options;
    this.#options = options;
    this.#questionMirror = new Mirror(machine.id, 'question', clock);
    this.#runMirror = new Mirror(machine.id, 'run', clock);
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
    const runs = await this.#ownRuns();
    await this.#passOn(hub, new RunMirror(runs, this.#runMirror));
  }

  async #passOn(hub: Hub, runs: RunMirror): Promise<void> {
    await this.#beat(hub);
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
    connection.onEnd(() => news.wake());
    const channel = channelOf(machine.id);
    await connection.listen(channel, () => news.noteAsked());
    using _watch = closing(questions.watch((id) => news.noteQuestion(id)));
    using _runs = closing(runs.watch(() => news.noteRuns()));
    await this.#passOn(hub, mirror);
    await this.#tidy(hub);
    onState?.({ is: 'up', hears: await this.#options.door.isHeard(hub, channel) });
    const [beat, look] = [new Turn(clock, BEAT_MS), new Turn(clock, LOOK_MS)];
    const [hourly, runsTurn] = [new Turn(clock, ALL_RUNS_MS), new Turn(clock, RUNS_MS)];
    while (!signal.aborted && connection.isOpen) {
      if (news.takeAsked()) await this.#applyAll(hub);
      const changed = news.takeQuestions();
      if (changed.size > 0) await this.#mirrorChanged(hub, changed);
      if (news.hasRuns && runsTurn.isDue() && news.takeRuns()) await mirror.sendChanged(hub);
      if (beat.isDue()) await this.#beat(hub);
      if (hourly.isDue()) {
        await mirror.sendAll(hub);
        await this.#tidy(hub);
      }
      if (look.isDue()) {
        // An asker dies and a set runs out of time without a trace on the disk, and so does a run.
        runs.look();
        news.noteEverything();
      }
      if (!news.isEmpty) continue;
      const untilMs = Math.min(look.leftMs, news.hasRuns ? runsTurn.leftMs : LOOK_MS);
      await sleepOrHint(clock, untilMs, news.next(), signal);
    }
  }

  async #ownRuns(): Promise<OwnRuns> {
    this.#runs ??= await this.#options.runs();
    return this.#runs;
  }

  #beat(hub: Hub): Promise<void> {
    const { machine, bootId } = this.#options;
    return hub.beat(machine.id, bootId, VERSION);
  }

  async #tidy(hub: Hub): Promise<void> {
    const removed = await hub.tidy();
    if (removed > 0) this.#options.log.info('fleet.tidied', { removed });
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
    await this.#questionMirror.send(hub, views.map(rowOfQuestion), []);
  }

  /** All that the files say, and what they say no more. */
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
    const { rows, refused } = await hub.takeRequests(machine.id);
    if (refused > 0) log.warn('fleet.requests-ignored', { count: refused });
    for (const request of rows) {
      const done = request.session_kind === 'run' ? this.#applyToRun(request) : this.#applyToSet(request);
      const { settled, mirror, session } = (await done) ?? {};
      if (settled === undefined || session === undefined) continue;
      await hub.settle(machine.id, { id: request.id, ...settled }, session);
      mirror?.note(session.rows);
      log.info('fleet.request-settled', { request: request.id, kind: request.kind, state: settled.state });
    }
  }

  async #applyToSet(request: RequestRow) {
    const done = await applyRequest(this.#options.questions, request);
    if (done === undefined) return undefined;
    const { state, reply, view } = done;
    const rows = view === undefined ? [] : [rowOfQuestion(view)];
    return {
      settled: { state, reply },
      mirror: this.#questionMirror,
      session: { kind: 'question', rows } as const,
    };
  }

  async #applyToRun(request: RequestRow) {
    const done = await applyRunRequest(await this.#ownRuns(), request);
    if (done === undefined) return undefined;
    const { state, reply, row } = done;
    const rows = row === undefined || !isTold(row) ? [] : [rowOfRun(row)];
    return { settled: { state, reply }, mirror: this.#runMirror, session: { kind: 'run', rows } as const };
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

function closing(watch: { close(): void }): Disposable {
  return { [Symbol.dispose]: () => watch.close() };
}
