import { answersFromDraft, isTouched } from '../../../models/inbox/index.js';
import type { Card } from '../../contract/index.js';

export type CardDraft = NonNullable<Card['draft']>;

/** What was typed in this browser: stored here at once, and on the server a moment later. */
export interface KeptDraft {
  readonly draft: CardDraft;
  readonly atMs: number;
  /** Whether the server has it. */
  readonly isSaved: boolean;
  /** The request it was sent with to another machine, while that is on its way. */
  readonly request?: string | undefined;
}

/** Where a draft comes from: none begun, this browser, or another surface. */
export type Origin = 'none' | 'here' | 'elsewhere';

/** The draft the person continues with: unsaved text from here wins, otherwise the server's, which may be newer. */
export function mergedDraft(
  { set, draft: told }: Pick<Card, 'set' | 'draft'>,
  kept: KeptDraft | null,
): { readonly draft: CardDraft; readonly origin: Origin } {
  const whole = (draft: CardDraft | null): CardDraft => ({
    questionIndex: draft?.questionIndex ?? 0,
    answers: answersFromDraft(set.questions, draft ?? undefined),
    rejectionReason: draft?.rejectionReason ?? '',
  });
  if (kept !== null && (!kept.isSaved || told === null))
    return { draft: whole(kept.draft), origin: hasWords(kept.draft) ? 'here' : 'none' };
  if (told === null || !hasWords(told)) return { draft: whole(told), origin: 'none' };
  return { draft: whole(told), origin: kept !== null && isSame(kept.draft, told) ? 'here' : 'elsewhere' };
}

/** Whether it contains anything worth keeping. */
export function hasWords(draft: CardDraft): boolean {
  return draft.rejectionReason !== '' || draft.answers.some(isTouched);
}

export function isSame(one: CardDraft, other: CardDraft): boolean {
  return JSON.stringify(bare(one)) === JSON.stringify(bare(other));
}

function bare({ questionIndex, answers, rejectionReason }: CardDraft): unknown {
  const said = answers.map(({ selected, isOther, text, isConfirmed }) => [
    selected,
    isOther,
    text,
    isConfirmed,
  ]);
  return [questionIndex, said, rejectionReason];
}
