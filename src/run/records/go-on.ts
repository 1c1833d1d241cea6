import { shellWord } from '../../foundation/index.js';

/** The commands a person types, from any directory, to continue a run or to look at it; none if it is over. */
export function commandsToGoOn({
  sessionId,
  status,
  isRunning,
  isArchived,
  project,
  permissions,
}: {
  readonly sessionId: string;
  readonly status: string;
  readonly isRunning: boolean;
  readonly isArchived: boolean;
  readonly project: { readonly path: string; readonly isThere: boolean };
  readonly permissions: string | undefined;
}): string[] {
  if (isArchived || OVER.includes(status)) return [];
  if (isRunning) return [`holdfast attach ${sessionId.slice(0, 8)}`];
  const reset = status === 'halted' ? ' --reset' : '';
  // `bypass` must be typed each time.
  const bypass = permissions === 'bypass' ? ' --permissions bypass' : '';
  return [`cd ${shellWord(project.path)} && holdfast resume${reset}${bypass}`];
}

const OVER: readonly string[] = ['completed', 'aborted'];
