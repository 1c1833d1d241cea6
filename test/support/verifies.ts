import { it } from 'vitest';
import type { RequirementId } from '../requirements.js';

/** A test that proves one clause of a requirement: `verifies('Q02', 'an empty set is refused', …)`. */
export function verifies(
  requirement: RequirementId,
  clause: string,
  prove: () => void | Promise<void>,
  timeoutMs?: number,
): void {
  it(`${requirement}: ${clause}`, prove, timeoutMs);
}
