/** How to talk to a program that only reads and writes lines. */
export interface LineOptions {
  /** What ends an answer. A blank line is no marker unless it is listed. Default: `>>> ` and `[DONE]`. */
  readonly endMarkers?: readonly string[] | undefined;
  /** What ends an answer that is a failure; the rest of that line says why. Default: none. */
  readonly failureMarkers?: readonly string[] | undefined;
  /**
   * Where in a line a marker counts. `end`: only as its last words, so text that quotes a marker does not end the answer.
   * `anywhere`: in any place. Default: `end`.
   */
  readonly markersCount?: 'end' | 'anywhere' | undefined;
  /** Silence of this length after the first output also ends an answer. Default: it does not. */
  readonly idleMs?: number | undefined;
  /** Exiting with code 0 also completes an answer, and any other code makes it a failure. Default: the program died. */
  readonly exitCompletes?: boolean | undefined;
  /** The line that ends a prompt of several lines. Default: a prompt is one line. */
  readonly promptTerminator?: string | undefined;
  /** What replaces a line break if a prompt must be one line. Default: a space. */
  readonly lineBreak?: string | undefined;
  /** The first prompt waits until the program has shown an end marker. Default: the program is ready as soon as it runs. */
  readonly showsMarkerWhenReady?: boolean | undefined;
  /** A line to send before the end of input when the program is stopped. Default: none. */
  readonly goodbye?: string | undefined;
  /** Where the program reports how full its context is. Default: nowhere. */
  readonly context?: ContextOptions | undefined;
}

export interface ContextOptions {
  /** Its first group is a percentage. Default: `Context: 45%`, `context usage: 45%`. */
  readonly pattern?: RegExp | undefined;
  /** How many tokens 100 % are. */
  readonly windowTokens: number;
}

/** The options with all defaults filled in. */
export interface LineRules {
  readonly endMarkers: readonly string[];
  readonly failureMarkers: readonly string[];
  readonly markersCount: 'end' | 'anywhere';
  readonly idleMs: number | null;
  readonly exitCompletes: boolean;
  readonly promptTerminator: string | null;
  readonly lineBreak: string;
  readonly showsMarkerWhenReady: boolean;
  readonly goodbye: string | null;
  readonly context: { readonly pattern: RegExp; readonly windowTokens: number } | null;
}

const CONTEXT_PATTERN = /\bcontext(?:\s+usage)?[:\s]\s*(\d{1,3})\s*%/i;

export function decideRules(options: LineOptions): LineRules {
  const { context } = options;
  return {
    endMarkers: options.endMarkers ?? ['>>> ', '[DONE]'],
    failureMarkers: options.failureMarkers ?? [],
    markersCount: options.markersCount ?? 'end',
    idleMs: options.idleMs ?? null,
    exitCompletes: options.exitCompletes ?? false,
    promptTerminator: options.promptTerminator ?? null,
    lineBreak: options.lineBreak ?? ' ',
    showsMarkerWhenReady: options.showsMarkerWhenReady ?? false,
    goodbye: options.goodbye ?? null,
    context:
      context === undefined
        ? null
        : { pattern: context.pattern ?? CONTEXT_PATTERN, windowTokens: context.windowTokens },
  };
}
