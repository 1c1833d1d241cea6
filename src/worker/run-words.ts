import type { Entry } from '../queue/index.js';
import type { EntryPlace } from './run-place.js';

/** The command line that starts the run of an entry, as a person would type it. Pure. */
export function startWords(
  entry: Entry,
  { plan, worktree }: Pick<EntryPlace, 'plan' | 'worktree'>,
): string[] {
  const { options, runId } = entry;
  const isDirty = worktree !== null || options.isDirtyTaken || entry.after.length > 0;
  return [
    'run',
    // In a worktree, whatever was there before is over. In a person's own tree, nothing is set aside unasked.
    ...(worktree === null ? [] : ['--new']),
    `--id=${runId ?? ''}`,
    ...(isDirty ? ['--dirty'] : []),
    ...common(entry),
    ...agentWords(entry),
    ...options.verify.flatMap((check) => word('--verify', check)),
    ...word('--phases', options.phases),
    ...word('--permissions', options.permissions),
    ...word('--max-cost', options.maxCost),
    ...word('--max-tokens', options.maxTokens),
    ...word('--max-time', options.maxTime),
    ...planWords(plan),
  ];
}

/**
 * The same for a run that resumes. It knows its start options unless it died before they were written down; `bypass`
 * has to be said each time.
 */
export function resumeWords(
  entry: Entry,
  { plan }: Pick<EntryPlace, 'plan'>,
  { isReset, isStartKnown }: { readonly isReset: boolean; readonly isStartKnown: boolean },
): string[] {
  const { permissions, verify } = entry.options;
  return [
    'run',
    isReset ? '--reset' : '--resume',
    ...common(entry),
    ...(isStartKnown ? [] : agentWords(entry)),
    ...word('--permissions', permissions),
    ...verify.flatMap((check) => word('--verify', check)),
    ...planWords(plan),
  ];
}

function agentWords({ options: { agent, model, account } }: Entry): string[] {
  return [...word('--agent', agent), ...word('--model', model), ...word('--account', account)];
}

function common({ options: { isUnattended } }: Entry): string[] {
  return [isUnattended ? '--unattended' : '--attended', '--quiet', '--by=worker'];
}

function planWords(plan: EntryPlace['plan']): string[] {
  return 'change' in plan ? [`--change=${plan.change}`] : ['--', plan.prp];
}

/** One word, because a value may begin with a dash. */
function word(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [`${flag}=${value}`];
}
