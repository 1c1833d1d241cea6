/** What every error may carry besides its message. */
export interface HoldfastErrorOptions {
  cause?: unknown;
  /** What the person can do about it, as a full sentence. */
  hint?: string;
  /** The same in terms of `holdfast`, for hints that otherwise address an agent that has `ralphtool`. */
  hintForPeople?: string;
}

/** Identifies our errors wherever they come from: a program may hold two copies of this class. */
const BRAND = Symbol.for('holdfast.error');

/** The base of every error we throw on purpose. Callers branch on `code`, never on the text. */
export abstract class HoldfastError<Code extends string = string> extends Error {
  abstract readonly code: Code;
  readonly hint?: string;
  readonly hintForPeople?: string;

  constructor(message: string, options: HoldfastErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.hintForPeople !== undefined) this.hintForPeople = options.hintForPeople;
  }

  get [BRAND](): true {
    return true;
  }
}

/** Whether a caught value is one of ours, optionally one with this code. */
export function isHoldfastError(error: unknown, code?: string): error is HoldfastError {
  const isOurs = error instanceof Error && (error as { [BRAND]?: unknown })[BRAND] === true;
  return isOurs && (code === undefined || (error as HoldfastError).code === code);
}

/** The message of anything that can be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Input that cannot be accepted as given; nothing was changed. */
export class InvalidInputError extends HoldfastError<'INVALID_INPUT'> {
  readonly code = 'INVALID_INPUT';
  /** The place in the input, as a path such as `questions[0].title`; empty for the whole input. */
  readonly place: string;

  constructor(message: string, options: HoldfastErrorOptions & { place?: string } = {}) {
    super(message, options);
    this.place = options.place ?? '';
  }
}

/** A wait that its caller cancelled through an AbortSignal. */
export class AbortedError extends HoldfastError<'ABORTED'> {
  readonly code = 'ABORTED';

  constructor(what: string, options?: HoldfastErrorOptions) {
    super(`${what} was called off`, options);
  }
}

/** Throws ABORTED if the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new AbortedError(what, { cause: signal.reason });
}
