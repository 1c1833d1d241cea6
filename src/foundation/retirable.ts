/** A session whose time may have come, as its kind tells of it. Nothing is read before it is looked at. */
export interface Retirable {
  readonly id: string;
  /** How it stands now; undefined where it is not old enough, somebody waits for it, or nothing tells its age. */
  look(): RetirableFacts | undefined;
  /** Moves it to the trash if, under its lock, it is still old; else false. Throws SESSION_NOT_FOUND, LOCKED, STORAGE_FAILED. */
  retire(): Promise<boolean>;
}

/** What is true of a session that is old enough. */
export interface RetirableFacts {
  /** Why it must stay all the same. */
  readonly kept?: string | undefined;
  /** Whether somebody decided and nobody was told: it goes only where that is asked for. */
  readonly isUncollected?: boolean | undefined;
}
