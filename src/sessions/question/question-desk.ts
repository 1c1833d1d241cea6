import type { Actor } from '../../foundation/index.js';
import type { QuestionSessions } from './sessions.js';
import type { QuestionView } from './view.js';

/** What people do with questions, wherever they are kept: on this machine or on any machine of the fleet. */
export interface QuestionDesk
  extends Pick<
    QuestionSessions,
    'get' | 'answer' | 'reject' | 'watch' | 'readDraft' | 'saveDraft' | 'discardDraft'
  > {
  as(actor: Actor): QuestionDesk;
  /** The sets people should see; from other machines only those that are waiting, unless `isAll`. */
  listLive(options?: { readonly isAll?: boolean }): Promise<QuestionView[]>;
  /** The full id for a prefix of 4 or more characters. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
  resolve(prefix: string): string | Promise<string>;
  /**
   * Takes back a decision that has not reached its machine yet; absent if nothing leaves this machine. Throws
   * NOT_TAKEN_BACK.
   */
  takeBack?(id: string): Promise<QuestionView>;
}
