import { signal } from '@preact/signals';
import type { BrowsedSession, BrowsedSessions } from '../../contract/sessions.js';
import { refusalWords } from '../inbox/card-desk.js';
import type { Store } from '../live/store.js';

export const FILTERS = ['kind', 'project', 'agent', 'status'] as const;
export type Filter = Readonly<Partial<Record<(typeof FILTERS)[number] | 'text', string>>>;
const TYPING_MS = 150;

/** The list of sessions while a person browses it. */
export class Browsing {
  readonly filter = signal<Filter>(keptFilter());
  readonly found = signal<BrowsedSessions | null>(null);
  readonly rows = signal<readonly BrowsedSession[]>([]);
  readonly fault = signal<string | null>(null);
  readonly isReading = signal(false);
  readonly #store: Store;
  #asked = 0;
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  set(name: keyof Filter, value: string): void {
    const { [name]: _, ...others } = this.filter.value;
    this.#take(value === '' ? others : { ...others, [name]: value });
  }

  showAll(): void {
    this.#take({});
  }

  async read(after: string | null = null): Promise<void> {
    const mine = ++this.#asked;
    const query = new URLSearchParams({ ...this.filter.value, ...(after === null ? {} : { after }) });
    this.isReading.value = true;
    const reply = await this.#store.api.read<BrowsedSessions>(`sessions?${query}`);
    if (mine !== this.#asked) return;
    this.isReading.value = false;
    if (!reply.isDone) {
      this.#store.noteRefused(reply);
      this.fault.value = refusalWords(reply);
      return;
    }
    const { sessions } = reply.value;
    this.fault.value = null;
    this.found.value = reply.value;
    this.rows.value = after === null ? sessions : [...this.rows.value, ...sessions];
  }

  readonly more = (): void => {
    const next = this.found.value?.next ?? null;
    if (next !== null && !this.isReading.value) void this.read(next);
  };

  #take(filter: Filter): void {
    this.filter.value = filter;
    history.replaceState({ ...history.state, sessions: filter }, '');
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.read(), TYPING_MS);
  }
}

/** The filter as it was when the person left this place. */
function keptFilter(): Filter {
  const kept: unknown = (history.state as { sessions?: unknown } | null)?.sessions;
  if (typeof kept !== 'object' || kept === null) return {};
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value === 'string'));
}
