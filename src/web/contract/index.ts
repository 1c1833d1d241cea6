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
 * What the page and its server say to each other: only types and names, so that both can import it. Everything is under
 * `/api`, as JSON. Texts are exactly as written; the page shows them as text, never as markup.
 *
 *   POST /api/login                   {code, name}      → SignedIn, and the cookie (needs neither cookie nor key)
 *   POST /api/pair                    {code, name}      → PairingAsked (needs neither cookie nor key, like the next)
 *   POST /api/pair/claim              {ticket}          → {isWaiting}, or SignedIn and the cookie
 *   POST /api/logout                                    → {}
 *   GET  /api/me                                        → Me
 *   GET  /api/state                                     → PageSnapshot
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
 * Every failure answers with a `Refusal`: 400 form, 401 sign in, 403 capability, origin or key, 404, 409 lost to another
 * answer (`details.winner` is the Card as it now stands), 413, 415, 421 wrong host, 423 locked (names the owner), 429, 503 not
 * stored: the fleet's database is unreachable.
 */

/** What a device may do; each capability includes the one before it. `admin` is never given to a page. */
export type DeviceCapability = Exclude<Capability, 'admin'>;

/** The header with the page's own secret, sent with every request except the sign-in. */
export const KEY_HEADER = 'x-holdfast-key';
/** Where the page keeps that secret: in `localStorage`, which belongs to this origin alone. */
export const KEY_ITEM = 'holdfast.key';

export interface Login {
  readonly code: string;
  /** What the browser calls itself, for the list of devices. */
  readonly name: string;
}

export interface SignedIn extends Me {
  /** Sent only once. */
  readonly key: string;
}

export interface Me {
  readonly device: string;
  readonly name: string;
  readonly can: DeviceCapability;
}

/** A question set of any kind, as a card shows it. */
export interface Card {
  readonly set: QuestionReport;
  /** What a person began on any surface but did not send. */
  readonly draft: Draft | null;
  /** The run, chat or agent that asks, as the `key` of its row; null if unknown. */
  readonly row: string | null;
}

/** Everything the page shows, except the journal of a run. */
export interface PageSnapshot {
  /** Grows by one with each change the server sends; counts for one server only. */
  readonly seq: number;
  /** The server's clock, for computing ages. */
  readonly now: string;
  readonly me: Me;
  /** What is waiting for an answer, oldest first. */
  readonly cards: readonly Card[];
  /** Every run, chat, agent and question of every project, in no particular order. */
  readonly rows: readonly OverviewRow[];
  /** The other machines; absent without a fleet. */
  readonly fleet?: FleetState | undefined;
}

/** How this machine is connected with the others. */
export interface FleetState {
  /** This machine and its login, `laptop/ann`: a decision made here is recorded at its home as `fleet:laptop/ann`. */
  readonly self: string;
  /** Why the others cannot be read now, and when they last were; null if what is shown of them is fresh. */
  readonly trouble: { readonly reason: string; readonly at: string | null } | null;
}

/*
 * The stream is `text/event-stream`, read with fetch because it needs the header. Its events by name:
 *
 *   state    PageSnapshot first, and whenever the page must forget what it knew
 *   change   PageChange   what has changed
 *   entry    RunEntry     of the requested run: everything after <seq>, then new entries, each once, in order
 *   caught   {run, isRunning}   all existing entries have been sent; later, whenever a process starts or stops running it
 *   ping     {now}        every 15 s
 *   bye      {reason}     the device was revoked, or the server ends: `revoked` or `stopping`
 */
export type StreamEvent =
  | { readonly name: 'state'; readonly data: PageSnapshot }
  | { readonly name: 'change'; readonly data: PageChange }
  | { readonly name: 'entry'; readonly data: RunEntry }
  | { readonly name: 'caught'; readonly data: { readonly run: string; readonly isRunning: boolean } }
  | { readonly name: 'ping'; readonly data: { readonly now: string } }
  | { readonly name: 'bye'; readonly data: { readonly reason: 'revoked' | 'stopping' } };

export interface PageChange {
  readonly seq: number;
  readonly now: string;
  /** Cards that are new or have changed. */
  readonly cards: readonly Card[];
  /** Sets that are no longer waiting, as they ended; sets that are gone altogether are only in `goneCards`. */
  readonly settled: readonly Card[];
  readonly goneCards: readonly string[];
  readonly rows: readonly OverviewRow[];
  readonly goneRows: readonly string[];
  /** Present if it has changed. */
  readonly fleet?: FleetState | undefined;
}

/** A journal entry with its words, as the model of the run view takes it. */
export interface RunEntry extends JournalEntry {
  readonly run: string;
  readonly lines: readonly ToldLine[];
  readonly doing?: string | undefined;
}

/** What is known about a run without its journal, which comes by the stream. */
export interface RunPage {
  readonly id: string;
  /** The machine that it is on and where its journal stays; absent for this one. */
  readonly machine?: string | undefined;
  readonly row: OverviewRow | null;
  readonly project: string;
  readonly isArchived: boolean;
  /** False if it ran before journals existed. */
  readonly hasJournal: boolean;
  /** The commands to inspect or resume it. */
  readonly commands: readonly string[];
}

export interface Answering {
  readonly answers: readonly AnswerInput[];
  /** For a permission: whether all of it was on the screen. Nothing is allowed without this. */
  readonly isWhole: boolean;
}

/** What a person asks of a run, and the result in words for them. */
export type { RunRequest, Steered } from '../../run/index.js';

export interface Refusal {
  /** A code from docs/errors.md. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly details?: { readonly winner?: Card } | undefined;
}

/** The report of a run, as `holdfast report --json` prints it. */
export type { RunReport as ReportPage } from '../../run/index.js';
