import { type ReadonlySignal, signal } from '@preact/signals';
import { type Kept, THEME_ITEM } from './kept.js';

export type ThemeChoice = 'system' | 'light' | 'dark';

/** Light, dark, or like the system: one attribute of the document. */
export class Theme {
  readonly #kept: Kept;
  readonly #choice = signal<ThemeChoice>('system');

  constructor(kept: Kept) {
    this.#kept = kept;
    const known = kept.text(THEME_ITEM);
    if (known === 'light' || known === 'dark') this.#choice.value = known;
  }

  get choice(): ReadonlySignal<ThemeChoice> {
    return this.#choice;
  }

  choose(choice: ThemeChoice): void {
    this.#choice.value = choice;
    this.#kept.keepText(THEME_ITEM, choice === 'system' ? null : choice);
    if (choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
  }
}
