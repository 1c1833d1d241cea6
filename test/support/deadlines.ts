/**
 * How long a test waits for anything before giving up on it. This is the only such number: a busy machine is slow, not
 * wrong, so it is far longer than any wait on an idle machine.
 */
export const WAIT_MS = 120_000;

/** For a whole test. Longer than one wait, so that the wait reports the failure: it knows what it was about. */
export const TEST_MS = 300_000;

/** For a test that makes hundreds of rounds with real programs. */
export const LONG_TEST_MS = 1_800_000;

/** For `vi.waitFor`. */
export const PATIENT = { timeout: WAIT_MS, interval: 10 } as const;
