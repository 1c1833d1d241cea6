import type { Actor } from '../../foundation/index.js';
import type { QuestionSessions } from './sessions.js';
import type { QuestionView } from './view.js';

/** What people do with questions, wherever these are kept: on this machine, or on any machine of the fleet. */
export interface QuestionDesk
  extends Pick<
    QuestionSessions,
    'get' | 'answer' | 'reject' | 'watch' | 'readDraft' | 'saveDraft' | 'discardDraft'
  > {
  as(actor: Actor): QuestionDesk;
  /** What people should read; of other machines only what waits, or everything. */
  listLive(options?: { readonly isAll?: boolean }): Promise<QuestionView[]>;
  /** The full id for a prefix of 4 or more characters. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
  resolve(prefix: string): string | Promise<string>;
  /** Takes back a decision that has not arrived on its machine; absent where nothing leaves this one. Throws NOT_TAKEN_BACK. */
  takeBack?(id: string): Promise<QuestionView>;
}
