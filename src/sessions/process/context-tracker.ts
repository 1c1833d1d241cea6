import { checkedUsage, type Usage } from '../../agents/index.js';

export type ContextLevel = 'normal' | 'warning' | 'redline';

export interface ContextThresholds {
  /** Percent from which a warning is worthwhile; default 70. */
  readonly warning?: number | undefined;
  /** Percent from which a fresh start is better; default 85. */
  readonly redline?: number | undefined;
}

/** Used if an agent reports tokens but not how many its model can hold. */
const USUAL_WINDOW = 200_000;
const CHARACTERS_PER_TOKEN = 4;
/** `Context: 45%`, `context usage: 45 %`, `Context 45% used`: the output of programs that report nothing better. */
const IN_TEXT = /\bcontext(?:\s+(?:usage|used|window))?\s*[:=]?\s*(\d{1,3})\s?%/gi;

/**
 * How full an agent's context window is: from reported tokens; otherwise from what the agent says about it; otherwise
 * from the length of the text, at four characters per token.
 */
export class ContextTracker {
  readonly #warning: number;
  readonly #redline: number;
  readonly #onLevel: (level: ContextLevel, percent: number) => void;
  #percent = 0;
  #tokens = 0;
  #isReported = false;
  #isSaid = false;
  #level: ContextLevel = 'normal';

  constructor(
    limits: ContextThresholds = {},
    onLevel: (level: ContextLevel, percent: number) => void = () => {},
  ) {
    this.#warning = limits.warning ?? 70;
    this.#redline = limits.redline ?? 85;
    this.#onLevel = onLevel;
  }

  /** Whole percent, 0 to 100. */
  usagePercent(): number {
    return this.#percent;
  }

  get tokens(): number {
    return this.#tokens;
  }

  get level(): ContextLevel {
    return this.#level;
  }

  /** Takes in one exchange: its reported usage, and its text for agents that report nothing. */
  update(exchange: { readonly usage: Usage | null; readonly text: string }): void {
    const usage = exchange.usage === null ? null : checkedUsage(exchange.usage);
    const tokens = usage?.contextTokens ?? null;
    if (tokens !== null) {
      this.#isReported = true;
      this.#set(tokens, (tokens / (usage?.contextWindow ?? USUAL_WINDOW)) * 100);
    } else if (!this.#isReported) this.updateFromOutput(exchange.text);
  }

  /** Takes in text only. The last figure in it counts. */
  updateFromOutput(output: string): void {
    const tokens = this.#tokens + Math.ceil(output.length / CHARACTERS_PER_TOKEN);
    const said = [...output.matchAll(IN_TEXT)].at(-1)?.[1];
    if (said !== undefined) {
      this.#isSaid = true;
      this.#set(tokens, Number(said));
    } else this.#set(tokens, this.#isSaid ? this.#percent : (tokens / USUAL_WINDOW) * 100);
  }

  /** @deprecated The name of release 0.1 for `updateFromOutput`. */
  updateFromText(text: string): void {
    this.updateFromOutput(text);
  }

  /** Starts over for a fresh conversation. */
  reset(): void {
    this.#isReported = false;
    this.#isSaid = false;
    this.#set(0, 0);
  }

  #set(tokens: number, percent: number): void {
    this.#tokens = tokens;
    this.#percent = Math.min(100, Math.max(0, Math.round(percent)));
    const level = this.#levelOf(this.#percent);
    if (level === this.#level) return;
    this.#level = level;
    this.#onLevel(level, this.#percent);
  }

  #levelOf(percent: number): ContextLevel {
    if (percent >= this.#redline) return 'redline';
    return percent >= this.#warning ? 'warning' : 'normal';
  }
}
