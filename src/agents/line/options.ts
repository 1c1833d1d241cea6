/** How a program that only reads and writes lines is talked to. */
export interface LineOptions {
  /** What ends an answer. A blank line is no marker unless it is listed. Default: `>>> ` and `[DONE]`. */
  readonly endMarkers?: readonly string[] | undefined;
  /** What ends an answer that is a failure; the rest of that line says why. Default: none. */
  readonly failureMarkers?: readonly string[] | undefined;
  /**
   * Where in a line a marker counts. `end`: as its last words, so that text which quotes a marker goes on. `anywhere`:
   * wherever it stands. Default: `end`.
   */
  readonly markersCount?: 'end' | 'anywhere' | undefined;
  /** Silence for so long after the first output also ends an answer. Default: it does not. */
  readonly idleMs?: number | undefined;
  /** Leaving with exit code 0 also ends an answer well, any other code makes it a failure. Default: it has died. */
  readonly exitCompletes?: boolean | undefined;
  /** The line that ends a prompt of several lines. Default: a prompt is one line. */
  readonly promptTerminator?: string | undefined;
  /** What replaces a line break if a prompt is one line. Default: a space. */
  readonly lineBreak?: string | undefined;
  /** The first prompt waits until the program has shown an end marker. Default: it is ready once it runs. */
  readonly showsMarkerWhenReady?: boolean | undefined;
  /** The line that says goodbye. Default: only the end of its input. */
  readonly goodbye?: string | undefined;
  /** Where the program tells how full its context is. Default: it does not. */
  readonly context?: ContextOptions | undefined;
}

export interface ContextOptions {
  /** The first group is a percentage. Default: `Context: 45%`, `context usage: 45%`. */
  readonly pattern?: RegExp | undefined;
  /** How many tokens 100 % are. */
  readonly windowTokens: number;
}

/** The options with everything decided. */
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
