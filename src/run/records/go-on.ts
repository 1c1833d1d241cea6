import { shellWord } from '../../foundation/index.js';

/** What a person types to go on with a run or to look at it, from wherever they are; nothing where it is over. */
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
  // What asks nobody has to be said each time.
  const bypass = permissions === 'bypass' ? ' --permissions bypass' : '';
  return [`cd ${shellWord(project.path)} && holdfast resume${reset}${bypass}`];
}

const OVER: readonly string[] = ['completed', 'aborted'];
