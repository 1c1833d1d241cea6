import type { Capability } from '../../foundation/operation.js';
import type { ToldLine } from '../../models/run-view/index.js';
import type { OverviewRow } from '../../overview/index.js';
import type { JournalEntry } from '../../run/index.js';
import type { AnswerInput, Draft, QuestionReport } from '../../sessions/question/index.js';

export type {
  Access,
  AuditLine,
  KnownDevice,
  PairingAsked,
  PushMessage,
  PushState,
  PushTest,
} from './pocket.js';

/*
 * What the server of the page and the page say to each other: types and names only, so that both can import it. Everything is
 * under `/api`, as JSON; texts are as somebody wrote them, and the page shows them as text and never as markup.
 *
 *   POST /api/login                   {code, name}      → SignedIn, and the cookie (needs neither cookie nor key)
 *   POST /api/pair                    {code, name}      → PairingAsked (needs neither cookie nor key, like the next)
 *   POST /api/pair/claim              {ticket}          → {isWaiting}, or SignedIn and the cookie
 *   POST /api/logout                                    → {}
 *   GET  /api/me                                        → Me
 *   GET  /api/state                                     → Snapshot
 *   GET  /api/events?run=<id>:<seq>                     → the stream, see below (`run` at most once)
 *   GET  /api/questions/:id                             → Card
 *   PUT  /api/questions/:id/draft     Draft             → {}
 *   POST /api/questions/:id/answer    {answers, isWhole}→ Card
 *   POST /api/questions/:id/reject    {reason}          → Card
 *   POST /api/questions/:id/take-back {}                → Card (of another machine, with a decision on its way there)
 *   GET  /api/runs/:id                                  → RunPage
 *   GET  /api/runs/:id/report                           → ReportPage
 *   POST /api/runs/:id/request        RunRequest        → Steered
 *   POST /api/runs/:id/take-back      {}                → Steered (of a request on its way to another machine)
 *   GET  /api/devices                                   → Access
 *   GET  /api/push                                      → PushState
 *   POST /api/push                    PushWish          → PushState
 *   POST /api/push/test               {}                → PushTest
 *   GET  /api/openapi.json
 *
 * Whatever fails answers with a `Refusal`: 400 form, 401 sign in, 403 capability, origin or key, 404, 409 lost to another answer
 * (`details.winner` is the Card as it stands), 413, 415, 421 wrong host, 423 locked (its owner named), 429, 503 not stored: the
 * fleet's database is away.
 */

/** What a device may do; each contains the one before it. `admin` is never given to a page. */
export type DeviceCapability = Exclude<Capability, 'admin'>;

/** The header with the page's own secret, which goes with every request but the sign-in. */
export const KEY_HEADER = 'x-holdfast-key';
/** Where the page keeps it: in `localStorage`, which belongs to this origin alone. */
export const KEY_ITEM = 'holdfast.key';

export interface Login {
  readonly code: string;
  /** What the browser calls itself, for the list of devices. */
  readonly name: string;
}

export interface SignedIn extends Me {
  /** Told once. */
  readonly key: string;
}

export interface Me {
  readonly device: string;
  readonly name: string;
  readonly can: DeviceCapability;
}

/** A question set as a card shows it, whatever it is about. */
export interface Card {
  readonly set: QuestionReport;
  /** What a person began and did not send, on whatever surface. */
  readonly draft: Draft | null;
  /** The run, chat or agent that asks: the `key` of its row; null where that is not known. */
  readonly row: string | null;
}

/** Everything that the page shows but for the journal of a run. */
export interface Snapshot {
  /** Grows by one with each change that the server tells; of one server only. */
  readonly seq: number;
  /** The clock of the server, for ages. */
  readonly now: string;
  readonly me: Me;
  /** What waits for an answer, the oldest first. */
  readonly cards: readonly Card[];
  /** Every run, chat, agent and question of every project, in no order. */
  readonly rows: readonly OverviewRow[];
  /** The other machines; absent without a fleet. */
  readonly fleet?: FleetState | undefined;
}

/** How this machine stands with the others. */
export interface FleetState {
  /** This machine and its login, `laptop/ann`: what is decided here is `fleet:laptop/ann` at its home. */
  readonly self: string;
  /** Why the others cannot be read now, and when they last were; null where what is shown of them is fresh. */
  readonly trouble: { readonly reason: string; readonly at: string | null } | null;
}

/*
 * The stream is `text/event-stream`, read with fetch because it needs the header. Its events, by name:
 *
 *   state    Snapshot     first, and whenever the page must forget what it knew
 *   change   Change       what is different now
 *   entry    RunEntry     of the run that was asked for: everything behind <seq>, then what happens, each once, in order
 *   caught   {run, isRunning}   the entries that were there have been told; later whenever it changes whether a process runs it
 *   ping     {now}        every 15 s
 *   bye      {reason}     the device was revoked, or the server ends: `revoked` or `stopping`
 */
export type StreamEvent =
  | { readonly name: 'state'; readonly data: Snapshot }
  | { readonly name: 'change'; readonly data: Change }
  | { readonly name: 'entry'; readonly data: RunEntry }
  | { readonly name: 'caught'; readonly data: { readonly run: string; readonly isRunning: boolean } }
  | { readonly name: 'ping'; readonly data: { readonly now: string } }
  | { readonly name: 'bye'; readonly data: { readonly reason: 'revoked' | 'stopping' } };

export interface Change {
  readonly seq: number;
  readonly now: string;
  /** Cards that are new or different. */
  readonly cards: readonly Card[];
  /** Sets that no longer wait, as they ended; those that are gone altogether are only in `goneCards`. */
  readonly settled: readonly Card[];
  readonly goneCards: readonly string[];
  readonly rows: readonly OverviewRow[];
  readonly goneRows: readonly string[];
  /** Where it is different. */
  readonly fleet?: FleetState | undefined;
}

/** An entry of a journal, with its words: what the model of the run view takes. */
export interface RunEntry extends JournalEntry {
  readonly run: string;
  readonly lines: readonly ToldLine[];
  readonly doing?: string | undefined;
}

/** What can be said of a run without its journal, which comes by the stream. */
export interface RunPage {
  readonly id: string;
  /** The machine that it is on, where its journal stays; absent for this one. */
  readonly machine?: string | undefined;
  readonly row: OverviewRow | null;
  readonly project: string;
  readonly isArchived: boolean;
  /** False where it ran before there were journals. */
  readonly hasJournal: boolean;
  /** What a person would type to look at it or to go on. */
  readonly commands: readonly string[];
}

export interface Answering {
  readonly answers: readonly AnswerInput[];
  /** Of a permission: the whole of what is asked was on the screen. Nothing is allowed without it. */
  readonly isWhole: boolean;
}

export type RunRequest =
  | { readonly kind: 'pause' | 'resume' | 'stop' }
  | { readonly kind: 'guidance'; readonly text: string };

/** What came of a request, in words for the person. */
export interface Steered {
  readonly isDone: boolean;
  readonly words: string;
}

export interface Refusal {
  /** One of docs/errors.md. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly details?: { readonly winner?: Card } | undefined;
}

/** What a run came to, as `holdfast report --json` tells it. */
export type { RunReport as ReportPage } from '../../run/index.js';
