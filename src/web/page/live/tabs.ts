import type { PageSnapshot, StreamEvent } from '../../contract/index.js';
import type { Api } from './api.js';
import { type Connection, type Followed, Stream } from './stream.js';

/** What the tabs of one browser tell each other. */
type TabMessage =
  | { readonly kind: 'told'; readonly event: StreamEvent }
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'refused' }
  /** To the leading tab: a tab is new, wants the entries of a run, or wants a try now. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'follow'; readonly followed: Followed | null }
  | { readonly kind: 'retry' }
  /** To all: another tab leads now. */
  | { readonly kind: 'leads' };

export interface TabsParts {
  readonly api: Pick<Api, 'events'>;
  readonly onEvent: (event: StreamEvent) => void;
  readonly onConnection: (connection: Connection) => void;
  readonly onRefused: () => void;
  /** The current state of everything, for a tab opened later. */
  readonly snapshot: () => PageSnapshot | undefined;
}

const NAME = 'holdfast.stream';

/**
 * One stream for all tabs of a browser: the tab that holds the lock reads it and passes it on to the others. A run is
 * followed for the tab that asked last, the one the person is looking at; other tabs ask again when they become visible.
 */
export class Tabs {
  readonly #parts: TabsParts;
  readonly #channel: BroadcastChannel | undefined;
  readonly #left = new AbortController();
  #stream: Stream | undefined;
  #connection: Connection = { name: 'connecting' };
  #followed: Followed | null = null;
  /** The run requested from the stream, for any tab. */
  #asked: Followed | null = null;

  constructor(parts: TabsParts) {
    this.#parts = parts;
    this.#channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(NAME);
  }

  start(): void {
    this.#channel?.addEventListener('message', ({ data }) => this.#hear(data as TabMessage));
    const { locks } = navigator;
    // A page outside a secure origin has no locks: each tab leads itself.
    if (locks === undefined || this.#channel === undefined) {
      this.#lead();
      return;
    }
    const { signal } = this.#left;
    const held = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    locks
      .request(NAME, { signal }, () => {
        this.#lead();
        return held;
      })
      .catch(() => {}); // stopped before it was our turn
    this.#post({ kind: 'hello' });
  }

  /** Ends this tab's work, for itself and for others. */
  stop(): void {
    this.#left.abort();
    this.#stream?.stop();
    this.#stream = undefined;
    this.#channel?.close();
  }

  /** Requests the entries of a run after a sequence number, or no entries. */
  follow(followed: Followed | null): void {
    this.#followed = followed;
    if (this.#stream === undefined) this.#post({ kind: 'follow', followed });
    else this.#serve(followed);
  }

  retry(): void {
    if (this.#stream === undefined) this.#post({ kind: 'retry' });
    else this.#stream.retry();
  }

  /** Requests the state again because it does not fit together. */
  reopen(): void {
    if (this.#stream === undefined) this.#post({ kind: 'hello' });
    else this.#stream.reopen();
  }

  #lead(): void {
    if (this.#left.signal.aborted) return;
    this.#stream = new Stream({
      open: (run, signal) => this.#parts.api.events(run, signal),
      onEvent: (event) => this.#tell(event),
      onConnection: (connection) => this.#nowConnected(connection),
      onRefused: () => {
        this.#post({ kind: 'refused' });
        this.#parts.onRefused();
      },
    });
    if (this.#followed !== null) this.#serve(this.#followed);
    this.#stream.start();
    this.#post({ kind: 'leads' });
  }

  #tell(event: StreamEvent): void {
    if (event.name === 'entry') {
      this.#stream?.noteSeq(event.data.seq);
      if (this.#asked !== null) this.#asked = { ...this.#asked, after: event.data.seq };
    }
    this.#post({ kind: 'told', event });
    this.#take(event);
  }

  #nowConnected(connection: Connection): void {
    this.#connection = connection;
    this.#post({ kind: 'connection', connection });
    this.#parts.onConnection(connection);
  }

  #take(event: StreamEvent): void {
    if (event.name === 'entry' && event.data.run === this.#followed?.run)
      this.#followed = { ...this.#followed, after: Math.max(this.#followed.after, event.data.seq) };
    if (event.name === 'bye' && event.data.reason === 'revoked') this.#parts.onRefused();
    else this.#parts.onEvent(event);
  }

  /** Reopens the stream only if it is behind or follows another run. */
  #serve(followed: Followed | null): void {
    const now = this.#asked;
    if (followed === null || (now?.run === followed.run && now.after <= followed.after)) return;
    this.#asked = followed;
    this.#stream?.follow(followed);
  }

  #hear(message: TabMessage): void {
    if (this.#stream === undefined) this.#hearAsOne(message);
    else this.#hearAsLeader(message, this.#stream);
  }

  #hearAsOne(message: TabMessage): void {
    if (message.kind === 'told') this.#take(message.event);
    else if (message.kind === 'connection') this.#parts.onConnection(message.connection);
    else if (message.kind === 'refused') this.#parts.onRefused();
    else if (message.kind === 'leads' && this.#followed !== null)
      this.#post({ kind: 'follow', followed: this.#followed });
  }

  #hearAsLeader(message: TabMessage, stream: Stream): void {
    if (message.kind === 'follow') this.#serve(message.followed);
    else if (message.kind === 'retry') stream.retry();
    else if (message.kind === 'hello') this.#welcome();
  }

  #welcome(): void {
    const snapshot = this.#parts.snapshot();
    this.#post({ kind: 'connection', connection: this.#connection });
    if (snapshot !== undefined) this.#post({ kind: 'told', event: { name: 'state', data: snapshot } });
  }

  #post(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }
}
