import * as z from 'zod';
import { isHoldfastError, isObject, isUuidV4, visibleExcerpt } from '../../foundation/index.js';
import type { RequestRow } from '../../hub/index.js';
import type { OverviewRow } from '../../overview/index.js';
import { actorOf, isFileTrouble } from '../link/apply-request.js';
import type { OwnRuns } from './own-runs.js';

const MAX_TEXT = 64 * 1024;
const Reason = z.string().max(MAX_TEXT).optional();

/** What is asked, as its body is stored. Nothing in it can name a path, a program or a permission. */
const Asked = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pause'), reason: Reason }),
  z.strictObject({ kind: z.literal('resume') }),
  z.strictObject({ kind: z.literal('stop'), reason: Reason }),
  z.strictObject({ kind: z.literal('guidance'), text: z.string().min(1).max(MAX_TEXT) }),
]);

/** What became of a request to a run here. */
export interface AppliedToRun {
  readonly state: 'applied' | 'refused';
  readonly reply: { readonly message: string; readonly code?: string };
  /** How the run stands now, if there is one. */
  readonly row?: OverviewRow | undefined;
}

/**
 * Does what another machine asks of a run, with the same steps as a person here. The write that leaves the request
 * contains its id, so a request that comes again is answered from there. Undefined if it can be tried again.
 */
export async function applyRunRequest(runs: OwnRuns, request: RequestRow): Promise<AppliedToRun | undefined> {
  const { id, session, kind, body } = request;
  const asked = Asked.safeParse({ ...(isObject(body) ? body : {}), kind });
  if (!isUuidV4(session)) return refused('INVALID_INPUT', 'not a run');
  if (!asked.success)
    return refused('INVALID_INPUT', 'This machine knows no such request; it may run an older Holdfast');
  try {
    const { isDone, words } = await runs.steer(session, asked.data, { actor: actorOf(request), request: id });
    if (!isDone) return { ...refused('REFUSED', words), row: runs.find(session) };
    return { state: 'applied', reply: { message: visibleExcerpt(words, 400) }, row: runs.find(session) };
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return isFileTrouble(error) ? undefined : refused(error.code, error.message);
  }
}

function refused(code: string, message: string): AppliedToRun {
  return { state: 'refused', reply: { code, message: visibleExcerpt(message, 400) } };
}
