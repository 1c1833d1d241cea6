import {
  findId,
  type Ids,
  isHoldfastError,
  isUuidV4,
  messageOf,
  timestamp,
  visibleExcerpt,
} from '../../foundation/index.js';
import {
  FleetRuleError,
  FleetUnreachableError,
  type Hub,
  INBOX_CHANNEL,
  type Listening,
  type SessionRow,
} from '../../hub/index.js';
import {
  AlreadySettledError,
  AskerGoneError,
  checkAnswers,
  type GivenAnswers,
  InvalidAnswerError,
  isSettled,
  NotTakenBackError,
  type QuestionView,
  SessionNotFoundError,
} from '../../sessions/question/index.js';
import type { Door } from '../door.js';
import { DecidedElsewhereError, NotStoredError, RemoteRefusedError } from '../errors.js';
import { type SenderParts, sendRequest } from '../link/send-request.js';
import { outcomeOfReply, questionOfRow } from './mirrored-question.js';

export interface RemoteOptions extends SenderParts {
  readonly door: Door;
  readonly ids: Ids;
  /** How long a host may take to answer. */
  readonly timeoutMs?: number | undefined;
}

/** What was known about other machines at one moment. */
interface Known {
  readonly views: readonly QuestionView[];
  readonly at: Date;
}

const LOOK_MS = 5_000;

/** The question sets of the other machines, as the hub mirrors them; decisions made here are sent to their homes. */
export class RemoteQuestions {
  readonly #options: RemoteOptions;
  #known: Known | undefined;
  #trouble: string | undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** Why the list is not up to date, in words; undefined if it is. */
  get trouble(): { readonly reason: string; readonly at: Date | undefined } | undefined {
    return this.#trouble === undefined ? undefined : { reason: this.#trouble, at: this.#known?.at };
  }

  /**
   * What is waiting elsewhere, with what has just stopped waiting. If the hub is unreachable, what was last known.
   * Never throws.
   */
  async list({ isAll = false } = {}): Promise<readonly QuestionView[]> {
    try {
      const hub = await this.#hub();
      const { rows } = await hub.sessions(this.#options.machine.id, 'question', isAll ? 'all' : 'waiting');
      const views = viewsOf(rows);
      const left = await this.#whatLeft(hub, views);
      this.#known = { views, at: this.#options.clock.now() };
      this.#trouble = undefined;
      return [...views, ...left];
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      this.#trouble = messageOf(error);
      return this.known;
    }
  }

  /**
   * What was waiting elsewhere at the last read. While the hub is unreachable, it includes what was sent since then and
   * may have been stored.
   */
  get known(): readonly QuestionView[] {
    const views = this.#known?.views ?? [];
    if (this.#trouble === undefined) return views;
    const by = this.#options.door.address.user;
    const sent = this.#sentDecisions();
    return views.map((view) => {
      const request = view.outcome.status === 'pending' ? sent.get(view.id) : undefined;
      return request === undefined ? view : { ...view, onItsWay: { request, by } };
    });
  }

  /** The requests sent from here that have no outcome yet, by the set they are about. */
  #sentDecisions(): ReadonlyMap<string, string> {
    try {
      const sent = this.#options.sent.list().filter(({ sessionKind }) => sessionKind === 'question');
      return new Map(sent.map(({ id, session }) => [session, id]));
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      return new Map(); // its own file says what is wrong with it, to who looks at what was sent
    }
  }

  /** As the hub has it, or as it was last listed if the hub is unreachable. Throws SESSION_NOT_FOUND, and as the hub. */
  async get(id: string): Promise<QuestionView> {
    try {
      return (await this.#found(id)).view;
    } catch (error) {
      const known = this.known.find((one) => one.id === id);
      if (known === undefined || !isHoldfastError(error, 'FLEET_UNREACHABLE')) throw error;
      return known;
    }
  }

  /** The full id; undefined if no other machine has such a set. Throws AMBIGUOUS_ID, and as the hub. */
  async resolve(prefix: string): Promise<string | undefined> {
    const typed = prefix.toLowerCase();
    const ids = await this.#idsLike(typed).catch((error: unknown) => {
      const known = (this.#known?.views ?? []).map(({ id }) => id).filter((id) => id.startsWith(typed));
      if (known.length === 0 || !isHoldfastError(error, 'FLEET_UNREACHABLE')) throw error;
      return known;
    });
    return findId(ids, typed);
  }

  async #idsLike(prefix: string): Promise<string[]> {
    const hub = await this.#hub();
    const { rows } = await hub.sessions(this.#options.machine.id, 'question', { prefix });
    return rows.map(({ id }) => id).filter(isUuidV4);
  }

  /**
   * Sends an answer to the home of its set and waits a moment for the reply. A view with `onItsWay` has been stored but
   * has not arrived. Throws ALREADY_SETTLED, DECIDED_ELSEWHERE, INVALID_ANSWER, ASKER_GONE, REMOTE_REFUSED, NOT_STORED
   * if no server could be reached, and as the hub: in these last two cases nothing was stored.
   */
  answer(id: string, answers: GivenAnswers): Promise<QuestionView> {
    return orNotStored(async () => {
      const { row, view } = await this.#found(id);
      const given = typeof answers === 'function' ? answers(view.questions, view) : answers;
      checkAnswers(view.questions, given, timestamp(this.#options.clock));
      return this.#decide(row, view, 'answer', { answers: given });
    });
  }

  /** The same for a rejection. */
  reject(id: string, reason: string | null): Promise<QuestionView> {
    return orNotStored(async () => {
      const { row, view } = await this.#found(id);
      return this.#decide(row, view, 'reject', { reason: reason?.trim() === '' ? null : reason });
    });
  }

  /** Takes back what is on its way to the home of a set. Throws NOT_TAKEN_BACK, SESSION_NOT_FOUND, and as the hub. */
  async takeBack(id: string): Promise<QuestionView> {
    const row = await this.#row(id);
    if (row === undefined) throw new SessionNotFoundError(id);
    const { request, request_by: by, machine } = row;
    if (request === null) throw new NotTakenBackError(id, 'nothing is on its way');
    if (by !== this.#options.door.address.user)
      throw new NotTakenBackError(id, `it is ${visibleExcerpt(by ?? 'somebody else', 63)}'s`);
    if (!(await (await this.#hub()).takeBack(request)))
      throw new NotTakenBackError(id, `${visibleExcerpt(machine, 63)} has it already`);
    this.#options.sent.forget(request);
    return this.get(id);
  }

  /** Calls back when something may have changed anywhere. */
  watch(onHint: () => void): { close(): void } {
    const closed = new AbortController();
    void this.#follow(onHint, closed.signal);
    return { close: () => closed.abort() };
  }

  async #follow(onHint: () => void, signal: AbortSignal): Promise<void> {
    let heardOn: Hub | undefined;
    let heard: Listening | undefined;
    while (!signal.aborted) {
      try {
        const hub = await this.#hub();
        if (hub !== heardOn) {
          heard = await hub.connection.listen(INBOX_CHANNEL, () => signal.aborted || onHint());
          heardOn = hub;
        }
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        // The list reports the reason; this is handled below.
      }
      await this.#options.clock.sleep(LOOK_MS, signal).catch(() => {});
      if (!signal.aborted) onHint();
    }
    heard?.close();
  }

  async #decide(
    row: SessionRow,
    { id, outcome }: QuestionView,
    kind: 'answer' | 'reject',
    body: unknown,
  ): Promise<QuestionView> {
    const { clock, ids } = this.#options;
    // What its home has decided stays decided: no need to ask, and the home may be away.
    if (isSettled(outcome)) throw new AlreadySettledError(id, outcome);
    const hub = await this.#hub();
    const request = {
      id: ids.uuid(),
      home: row.home,
      machine: row.machine,
      sessionKind: 'question',
      session: id,
      kind,
      body,
      at: timestamp(clock),
    } as const;
    try {
      const settled = await sendRequest(this.#options, hub, request, row.quiet_seconds);
      if (settled === undefined) return this.#onItsWay(row, request.id);
      if (settled.state === 'applied') return this.#arrived(row, settled.reply);
      throw refusal(id, row.machine, settled.reply);
    } catch (error) {
      if (error instanceof FleetRuleError && error.rule === 'decided') throw await this.#decidedBy(hub, row);
      throw error;
    }
  }

  #onItsWay(row: SessionRow, request: string): QuestionView {
    const view = questionOfRow(row);
    if (view === undefined) throw new SessionNotFoundError(row.id);
    return { ...view, onItsWay: { request, by: this.#options.door.address.user } };
  }

  #arrived(row: SessionRow, reply: unknown): QuestionView {
    const view = questionOfRow(row);
    const outcome = outcomeOfReply((reply as { outcome?: unknown } | null)?.outcome);
    if (view === undefined || outcome === undefined) throw new SessionNotFoundError(row.id);
    const { onItsWay: _way, ...rest } = view;
    return { ...rest, outcome };
  }

  async #decidedBy(hub: Hub, { home, id, machine }: SessionRow): Promise<Error> {
    const standing = await hub.decisionOf(home, 'question', id);
    if (standing === undefined) return new RemoteRefusedError(machine, 'somebody else decided it first');
    const outcome = outcomeOfReply((standing.reply as { outcome?: unknown } | null)?.outcome);
    if (standing.state === 'applied' && outcome !== undefined) return new AlreadySettledError(id, outcome);
    return new DecidedElsewhereError(
      id,
      `${standing.by} on ${standing.machine}`,
      decisionWords(standing.body),
    );
  }

  async #whatLeft(hub: Hub, now: readonly QuestionView[]): Promise<QuestionView[]> {
    const ids = new Set(now.map(({ id }) => id));
    const left = this.known.filter(({ id, outcome }) => outcome.status === 'pending' && !ids.has(id));
    const found: QuestionView[] = [];
    for (const { id } of left.slice(0, 100)) {
      const { rows } = await hub.sessions(this.#options.machine.id, 'question', { prefix: id });
      found.push(...viewsOf(rows));
    }
    return found;
  }

  async #found(id: string): Promise<{ readonly row: SessionRow; readonly view: QuestionView }> {
    const row = await this.#row(id);
    const view = row === undefined ? undefined : questionOfRow(row);
    if (row === undefined || view === undefined) throw new SessionNotFoundError(id);
    return { row, view };
  }

  async #row(id: string): Promise<SessionRow | undefined> {
    const hub = await this.#hub();
    const { rows } = await hub.sessions(this.#options.machine.id, 'question', { prefix: id });
    const own = rows.filter((row) => row.id === id);
    // A machine may claim another's set as its own: no answer goes to the first one found.
    if (own.length > 1)
      throw new RemoteRefusedError(
        own.map(({ machine }) => machine).join(' and '),
        'both say that this set is theirs',
      );
    return own[0];
  }

  #hub(): Promise<Hub> {
    const { door, timeoutMs } = this.#options;
    return door.open({ timeoutMs });
  }
}

/** Decides, or reports that no server could be reached. Throws NOT_STORED. */
export async function orNotStored<Decided>(decide: () => Promise<Decided>): Promise<Decided> {
  try {
    return await decide();
  } catch (error) {
    throw error instanceof FleetUnreachableError ? new NotStoredError(error) : error;
  }
}

function viewsOf(rows: readonly SessionRow[]): QuestionView[] {
  return rows.flatMap((row) => questionOfRow(row) ?? []);
}

/** The home's refusal as the error that a set of this machine would have thrown. */
function refusal(id: string, machine: string, reply: unknown): Error {
  const { code, message, outcome } = (reply ?? {}) as Record<string, unknown>;
  const said = typeof message === 'string' ? message : 'no reason was given';
  const winner = outcomeOfReply(outcome);
  if (code === 'ALREADY_SETTLED' && winner !== undefined) return new AlreadySettledError(id, winner);
  if (code === 'ASKER_GONE') return new AskerGoneError(id, said);
  if (code === 'INVALID_ANSWER') return new InvalidAnswerError(said);
  return new RemoteRefusedError(machine, said);
}

function decisionWords(body: unknown): string {
  const { answers, reason } = (body ?? {}) as Record<string, unknown>;
  if (!Array.isArray(answers)) return typeof reason === 'string' ? `rejected: ${reason}` : 'rejected';
  return answers
    .map((answer: Record<string, unknown>) =>
      [answer.selectedOption, answer.selectedOptions, answer.customText].filter(Boolean).flat().join(', '),
    )
    .join('; ');
}
