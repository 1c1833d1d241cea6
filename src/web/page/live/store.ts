import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { inOrder, labelsOf } from '../../../models/top/index.js';
import {
  type Card,
  KEY_ITEM,
  type PageSnapshot,
  type RunEntry,
  type SignedIn,
  type StreamEvent,
} from '../../contract/index.js';
import type { Kept } from '../frame/kept.js';
import { Api, type Reply } from './api.js';
import {
  inOrderOfAge,
  NOTHING_TOLD,
  type PageState,
  snapshotOf,
  vanished,
  withCard,
  withChange,
  withoutSettled,
  withSettled,
  withSnapshot,
} from './page-state.js';
import type { Connection, Followed } from './stream.js';
import { Tabs } from './tabs.js';

/** What the view of a run receives from the stream. */
export interface RunListener {
  readonly onEntry: (entry: RunEntry) => void;
  readonly onCaught: (isRunning: boolean) => void;
}

/** `none`: not signed in yet. `ended`: the server no longer knows this browser. */
export type Access = 'in' | 'none' | 'ended';

/** How long a settled set is shown. */
const SETTLED_MS = 6_000;

/** Everything the page knows, as signals, and its connection to the server. */
export class Store {
  readonly api: Api;
  readonly state = signal<PageState>(NOTHING_TOLD);
  readonly connection = signal<Connection>({ name: 'connecting' });
  readonly access = signal<Access>('none');
  /** This browser's clock, in whole seconds. */
  readonly nowMs = signal(Date.now());
  /** News for a screen reader. */
  readonly news = signal('');
  readonly cards = computed(() => inOrderOfAge(this.state.value));
  readonly rows = computed(() => inOrder([...this.state.value.rows.values()]));
  readonly labels = computed(() => labelsOf(this.rows.value));
  /** The server's clock, for ages. */
  readonly serverNow: ReadonlySignal<number> = computed(() => this.nowMs.value + this.state.value.skewMs);
  readonly #kept: Kept;
  readonly #runs = new Map<string, Set<RunListener>>();
  /** Settled sets that stay until the person has read them. */
  readonly #pinned: (id: string) => boolean;
  #tabs: Tabs | undefined;

  constructor({ kept, isPinned }: { kept: Kept; isPinned: (id: string) => boolean }) {
    this.#kept = kept;
    this.#pinned = isPinned;
    this.api = new Api(() => kept.text(KEY_ITEM));
    if (kept.text(KEY_ITEM) !== null) this.access.value = 'in';
  }

  start(): void {
    setInterval(() => this.#tick(), 1_000);
    addEventListener('online', () => this.#tabs?.retry());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#tabs?.retry();
    });
    addEventListener('storage', ({ key, newValue }) => {
      if (key !== KEY_ITEM) return;
      if (newValue === null) this.#leave('ended');
      else this.#enter();
    });
    if (this.access.value === 'in') this.#enter();
  }

  async signIn(code: string): Promise<Reply<SignedIn>> {
    const reply = await this.api.logIn(code, browserName(navigator.userAgent));
    if (reply.isDone) this.enterWith(reply.value);
    return reply;
  }

  /** Signs in with the key that the server sends this browser only once. */
  enterWith({ key }: SignedIn): void {
    this.#kept.keepText(KEY_ITEM, key);
    this.#enter();
  }

  /** Shows the kept snapshot until the server sends a current one; false if it already has. */
  showKept(snapshot: PageSnapshot): boolean {
    if (this.access.value !== 'in' || this.state.value.seq !== -1) return false;
    this.state.value = withSnapshot(this.state.value, snapshot, Date.now());
    return true;
  }

  /** Continues with this browser's earlier sign-in; false if there was none. */
  goOn(): boolean {
    if (this.#kept.text(KEY_ITEM) === null) return false;
    this.#enter();
    return true;
  }

  async signOut(): Promise<void> {
    await this.api.logOut();
    this.#leave('none');
  }

  /** Signs this browser out if the server no longer knows it; what was typed stays. */
  noteRefused({ status, refusal }: Extract<Reply<unknown>, { isDone: false }>): void {
    if (status === 401 || refusal?.code === 'KEY_REFUSED') this.#leave('ended');
  }

  /** Takes a card from a reply: still waiting, or ended. */
  noteCard(card: Card): void {
    this.state.value =
      card.set.status === 'pending' && card.set.machine !== undefined
        ? withCard(this.state.value, card)
        : withSettled(this.state.value, card, Date.now());
  }

  dismiss(id: string): void {
    this.state.value = withoutSettled(this.state.value, (other) => other === id);
  }

  retry(): void {
    this.#tabs?.retry();
  }

  /** Listens to the journal of a run, after the entries already known, until the returned function is called. */
  listen(run: string, listener: RunListener): () => void {
    const listeners = this.#runs.get(run) ?? new Set();
    this.#runs.set(run, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#runs.delete(run);
    };
  }

  follow(followed: Followed | null): void {
    this.#tabs?.follow(followed);
  }

  #enter(): void {
    this.#tabs?.stop();
    this.#tabs = new Tabs({
      api: this.api,
      onEvent: (event) => this.#take(event),
      onConnection: (connection) => {
        this.connection.value = connection;
      },
      onRefused: () => this.#leave('ended'),
      snapshot: () => snapshotOf(this.state.value, Date.now()),
    });
    this.connection.value = { name: 'connecting' };
    this.access.value = 'in';
    this.#tabs.start();
  }

  /** Forgets what the server sent; drafts are the person's own and stay. */
  #leave(access: 'none' | 'ended'): void {
    if (this.access.value !== 'in') return;
    this.#tabs?.stop();
    this.#tabs = undefined;
    this.#kept.keepText(KEY_ITEM, null);
    batch(() => {
      this.access.value = access;
      this.state.value = NOTHING_TOLD;
    });
  }

  #take(event: StreamEvent): void {
    switch (event.name) {
      case 'state': {
        const before = this.state.value;
        const lost = before.seq === -1 ? [] : vanished(before, event.data);
        this.#change(withSnapshot(before, event.data, Date.now()));
        for (const id of lost) void this.#readEnd(id);
        return;
      }
      case 'change': {
        const next = withChange(this.state.value, event.data, Date.now());
        if (next === undefined) this.#tabs?.reopen();
        else this.#change(next);
        return;
      }
      case 'entry':
        for (const listener of this.#runs.get(event.data.run) ?? []) listener.onEntry(event.data);
        return;
      case 'caught':
        for (const listener of this.#runs.get(event.data.run) ?? []) listener.onCaught(event.data.isRunning);
    }
  }

  #change(next: PageState): void {
    const before = this.state.value;
    const fresh = before.seq === -1 ? 0 : [...next.cards.keys()].filter((id) => !before.cards.has(id)).length;
    batch(() => {
      this.state.value = next;
      this.nowMs.value = Date.now();
      if (fresh > 0) this.news.value = fresh === 1 ? '1 new question' : `${fresh} new questions`;
    });
  }

  /** A set disappeared without a notice to us: asks the server how it ended. */
  async #readEnd(id: string): Promise<void> {
    const reply = await this.api.card(id);
    if (reply.isDone && !this.state.value.cards.has(id)) this.noteCard(reply.value);
  }

  #tick(): void {
    const nowMs = Date.now();
    batch(() => {
      this.nowMs.value = nowMs;
      this.state.value = withoutSettled(
        this.state.value,
        (id, { atMs }) => nowMs - atMs >= SETTLED_MS && !this.#pinned(id),
      );
    });
  }
}

/** A short name for a browser, for the list of devices. */
export function browserName(userAgent: string): string {
  const first = (names: readonly (readonly [RegExp, string])[], other: string) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? other;
  const browser = first(
    [
      [/Firefox|FxiOS/, 'Firefox'],
      [/Edg/, 'Edge'],
      [/OPR/, 'Opera'],
      [/Chrom|CriOS/, 'Chrome'],
      [/Safari/, 'Safari'],
    ],
    'a browser',
  );
  const system = first(
    [
      [/iPhone/, 'iPhone'],
      [/iPad/, 'iPad'],
      [/Android/, 'Android'],
      [/Mac OS X/, 'macOS'],
      [/Windows/, 'Windows'],
      [/Linux/, 'Linux'],
    ],
    'an unknown system',
  );
  return `${browser} on ${system}`;
}
