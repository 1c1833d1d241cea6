import type { SessionFault } from './kind.js';

/** A fault that concerns a file as a whole. */
export function faultOf(detail: string): SessionFault {
  return { detail, line: null, offset: null };
}

export function faultsOf(details: readonly string[]): SessionFault[] {
  return details.map(faultOf);
}
