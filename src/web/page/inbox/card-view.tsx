import { useLayoutEffect, useRef } from 'preact/hooks';
import { isPermission } from '../../../foundation/permission-card.js';
import type { Card } from '../../contract/index.js';
import { usePage } from '../page-context.js';
import { PermissionCard } from './permission-card.js';
import { QuestionCard } from './question-card.js';
import { SentCard } from './sent-card.js';
import { SettledCard } from './settled-card.js';

/** A set in its current state: waiting, answerable late, or over. */
export function CardView({ card, isAlone = false }: { card: Card; isAlone?: boolean }) {
  const { desk } = usePage();
  const wasOpen = useRef(false);
  const { status } = card.set;
  // An expired or withdrawn set can be answered late by a person who looks for it; a permission cannot.
  const isOpen =
    status === 'pending' ||
    (isAlone && !isPermission(card.set) && status !== 'completed' && status !== 'rejected');
  // If the focus was on a button that is now gone, it moves to the outcome.
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body)
      document
        .querySelector<HTMLElement>(`[data-card="${card.set.sessionId}"]`)
        ?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen, card]);
  if (!isOpen) return <SettledCard card={card} />;
  if (card.set.onItsWay !== undefined) return <SentCard card={card} />;
  const work = desk.on(card);
  return isPermission(card.set) ? (
    <PermissionCard card={card} work={work} />
  ) : (
    <QuestionCard card={card} work={work} />
  );
}
