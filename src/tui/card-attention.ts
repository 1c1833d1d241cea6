/** A key pressed this recently shows that a person is there. */
const TYPED_WITHIN_MS = 15_000;
/** How often it is reported again; well within the time that counts. */
const EVERY_MS = 5_000;

/**
 * Reports now and then which card is on a screen that a person is looking at: a terminal that says it has the focus, or
 * one where a key was pressed a moment ago. A card in a window that nobody sees does not count.
 */
export class CardAttention implements Disposable {
  readonly #shown: () => string | undefined;
  readonly #onSeen: (question: string) => void;
  readonly #timer: NodeJS.Timeout;
  #isFocused = false;
  #typedMs = Number.NEGATIVE_INFINITY;
  #told: { readonly id: string; readonly atMs: number } | undefined;

  constructor(shown: () => string | undefined, onSeen: (question: string) => void) {
    this.#shown = shown;
    this.#onSeen = onSeen;
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref();
  }

  focus(isFocused: boolean): void {
    this.#isFocused = isFocused;
    this.look();
  }

  typed(): void {
    this.#typedMs = performance.now();
    this.look();
  }

  /** To be called when the screen may have changed. */
  look(): void {
    const id = this.#shown();
    const nowMs = performance.now();
    const isLookedAt = this.#isFocused || nowMs - this.#typedMs <= TYPED_WITHIN_MS;
    if (id === undefined || !isLookedAt) return;
    if (this.#told?.id === id && nowMs - this.#told.atMs < EVERY_MS / 2) return;
    this.#told = { id, atMs: nowMs };
    this.#onSeen(id);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
