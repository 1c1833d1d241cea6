/**
 * How long anything that a test waits for may take before it counts as never. The only such number: a busy machine is
 * slow, not wrong, so it is far longer than any wait on a machine that is not busy.
 */
export const WAIT_MS = 120_000;

/** For a whole test; longer than one wait, so that what failed is told by the wait, which knows what it was about. */
export const TEST_MS = 300_000;

/** For a test that makes hundreds of rounds with real programs. */
export const LONG_TEST_MS = 1_800_000;

/** For `vi.waitFor`. */
export const PATIENT = { timeout: WAIT_MS, interval: 10 } as const;
