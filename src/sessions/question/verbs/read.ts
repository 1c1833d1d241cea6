import { findId, isUuidV4, messageOf } from '../../../foundation/index.js';
import { InvalidSessionIdError, SessionNotFoundError } from '../errors.js';
import type { QuestionTools } from '../question-tools.js';
import { healedStatus, type QuestionSnapshot } from '../state.js';
import type { QuestionView } from '../view.js';
import { healInPassing, viewIn } from './while-held.js';

const NOT_AN_ID = 'is neither an id nor the first 4 or more characters of one';

/** See `QuestionSessions.get`. */
export async function getSet(tools: QuestionTools, id: string): Promise<QuestionView> {
  const snapshot = await tools.store.read(id);
  await healInPassing(tools, snapshot);
  return viewIn(tools, snapshot);
}

export interface ListOptions {
  /** Sets that the caller already knows; they are not read. */
  readonly isLeftOut?: ((id: string) => boolean) | undefined;
}

/** See `QuestionSessions.list`. */
export async function listSets(
  tools: QuestionTools,
  { isLeftOut = () => false }: ListOptions = {},
): Promise<QuestionView[]> {
  const views: { view: QuestionView; createdMs: number }[] = [];
  const unhealed: QuestionSnapshot[] = [];
  for (const id of tools.store.ids()) {
    if (isLeftOut(id)) continue;
    try {
      const snapshot = tools.store.readOnce(id);
      const view = viewIn(tools, snapshot);
      views.push({ view, createdMs: Date.parse(view.createdAt) });
      if (healedStatus(snapshot) !== undefined) unhealed.push(snapshot);
    } catch (error) {
      if (error instanceof SessionNotFoundError) continue;
      tools.log.warn('question.unreadable', { sessionId: id, error: messageOf(error) });
    }
  }
  for (const snapshot of unhealed) await healInPassing(tools, snapshot);
  views.sort((a, b) => a.createdMs - b.createdMs || (a.view.id < b.view.id ? -1 : 1));
  return views.map(({ view }) => view);
}

/** See `QuestionSessions.resolve`. */
export function resolveId({ store }: QuestionTools, prefix: string): string {
  if (isUuidV4(prefix)) return prefix.toLowerCase();
  if (!/^[0-9a-f-]{4,36}$/i.test(prefix))
    throw new InvalidSessionIdError(prefix, /^[0-9a-f]{1,3}$/i.test(prefix) ? 'is too short' : NOT_AN_ID);
  const found = findId(store.ids(), prefix.toLowerCase());
  if (found === undefined) throw new SessionNotFoundError(prefix);
  return found;
}
