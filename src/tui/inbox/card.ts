import type { Clock } from '../../foundation/index.js';
import { InboxController, type InboxQuestions } from './controller.js';

export interface CardOptions {
  readonly questions: InboxQuestions;
  readonly clock: Clock;
  readonly sessionId: string;
  /** Called with a short message about what became of it. */
  readonly onTold: (message: string) => void;
  /** Called when the person answered it or left it, or when it could not be opened. */
  readonly onClosed: () => void;
}

/** One question set as the inbox shows it, within another screen. The caller starts it; it ends on its own. */
export function openCard({ questions, clock, sessionId, onTold, onClosed }: CardOptions): InboxController {
  const inbox = new InboxController({ questions, clock, onArrival: () => {}, isOnce: false, sessionId });
  let wasOpen = false;
  const unsubscribe = inbox.subscribe(() => {
    const { open, screen, notice } = inbox.state;
    wasOpen ||= open !== null || screen.name !== 'list';
    // Back at the list of the inbox: the person closed the question, or it could not be opened.
    if (open !== null || screen.name !== 'list' || !(wasOpen || notice !== null)) return;
    if (notice !== null) onTold(notice);
    inbox.stop();
  });
  void inbox.done.then(() => {
    unsubscribe();
    onClosed();
  });
  return inbox;
}

/** The sessions limited to one set: only this set is read and watched, however many there are. */
export function onlySet(
  questions: InboxQuestions,
  sessionId: string,
  watch: InboxQuestions['watch'],
): InboxQuestions {
  return {
    watch,
    get: (id) => questions.get(id),
    listLive: async () => [await questions.get(sessionId)],
    answer: (id, answers) => questions.answer(id, answers),
    reject: (id, reason) => questions.reject(id, reason),
    readDraft: (id) => questions.readDraft(id),
    saveDraft: (id, draft) => questions.saveDraft(id, draft),
    discardDraft: (id) => questions.discardDraft(id),
  };
}
