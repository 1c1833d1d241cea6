import type { Services } from '../app/base.js';
import { environmentScope, openChanges } from '../app/open-changes.js';
import type { ChangeSessions } from '../sessions/change/index.js';

/** The options that say which session and story a command is about. */
export const SCOPE_OPTIONS = {
  session: {
    type: 'string',
    value: '<id>',
    about: 'which session; else RALPH_SESSION, else the only active one',
  },
  story: { type: 'string', value: '<id>', about: 'which story; else RALPH_STORY, else the one in scope' },
} as const;

interface ScopeValues {
  readonly session?: string | undefined;
  readonly story?: string | undefined;
}

/** The change sessions, and what was said about session and story: options first, then the environment. */
export function openScope(
  services: Services,
  values: ScopeValues = {},
): { changes: ChangeSessions; scope: { sessionId: string | undefined; storyId: string | undefined } } {
  const changes = openChanges(services);
  const { sessionId, storyId } = environmentScope(services);
  return {
    changes,
    scope: {
      sessionId: values.session === undefined ? sessionId : changes.resolve(values.session),
      storyId: values.story ?? storyId,
    },
  };
}
