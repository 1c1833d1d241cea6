/** A session that may be due for removal, as its kind describes it. Nothing is read before `look` is called. */
export interface Retirable {
  readonly id: string;
  /** Its current facts; undefined if it is not old enough, someone is waiting for it, or its age is unknown. */
  look(): RetirableFacts | undefined;
  /**
   * Moves it to the trash if, under its lock, it is still old; otherwise returns false. Throws SESSION_NOT_FOUND,
   * LOCKED, STORAGE_FAILED.
   */
  retire(): Promise<boolean>;
}

/** The facts of a session that is old enough. */
export interface RetirableFacts {
  /** Why it must stay anyway. */
  readonly kept?: string | undefined;
  /** Whether a decision was made that nobody has been told about: it is removed only on request. */
  readonly isUncollected?: boolean | undefined;
}
