import type { RequirementId } from '../requirements.js';
import { itNeeds, type Needs } from './it-needs.js';

/** A test that proves one clause of a requirement, if the machine has what it needs. */
export function verifiesNeeding(
  requirement: RequirementId,
  needs: Needs,
  clause: string,
  prove: () => void | Promise<void>,
  timeoutMs?: number,
): void {
  itNeeds(needs, `${requirement}: ${clause}`, prove, timeoutMs);
}
