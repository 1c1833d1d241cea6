/** Where the chosen theme is kept; `boot.ts` reads it before the first paint. */
export const THEME_ITEM = 'holdfast.theme';

/** What this browser keeps for us. Nothing fails if a browser stores nothing. */
export class Kept {
  readonly #storage: Storage | undefined;

  constructor() {
    this.#storage = storageOf();
  }

  text(name: string): string | null {
    try {
      return this.#storage?.getItem(name) ?? null;
    } catch {
      return null;
    }
  }

  keepText(name: string, text: string | null): void {
    try {
      if (text === null) this.#storage?.removeItem(name);
      else this.#storage?.setItem(name, text);
    } catch {
      // Storage is full or forbidden: the value stays only on the screen.
    }
  }

  value<Value>(name: string): Value | null {
    try {
      return JSON.parse(this.text(name) ?? 'null') as Value | null;
    } catch {
      return null;
    }
  }

  keepValue(name: string, value: unknown): void {
    this.keepText(name, value === null ? null : JSON.stringify(value));
  }

  names(): string[] {
    try {
      return Object.keys(this.#storage ?? {});
    } catch {
      return [];
    }
  }
}

function storageOf(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
