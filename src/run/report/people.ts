import { BY_A_PERSON } from '../../agents/index.js';
import { isPermission, PERMISSION_CHOICES } from '../../foundation/index.js';
import { inOneLine, outcomeInWords, type QuestionView } from '../../sessions/question/index.js';
import { ABOUT_WORDS } from '../questions/ask-permission.js';
import { RUN } from '../questions/ask-person.js';
import type { AskedQuestion, ReportedPermission } from './report-document.js';
import type { HistoryQuestion, RunHistory } from './run-history.js';

/** What was asked, oldest first; for questions that are no longer there, what the journal says. */
export function askedIn(
  views: readonly QuestionView[],
  { asked }: Pick<RunHistory, 'asked'>,
): AskedQuestion[] {
  const known = new Set(views.map(({ id }) => id));
  const gone = asked.filter(({ id }) => !known.has(id)).map(ofJournal);
  return [...views.map(ofView), ...gone].sort((a, b) => Date.parse(a.askedAt) - Date.parse(b.askedAt));
}

function ofView(view: QuestionView): AskedQuestion {
  const { id, outcome, questions: asked, createdAt, asker } = view;
  return {
    id,
    title: asked[0]?.title ?? '',
    // What a card says to the person who decides is no news afterwards.
    prompts: asked.map(({ prompt }) => prompt.replace(`\n\n${ABOUT_WORDS}`, '')),
    status: outcome.status,
    isPermission: isPermission(view),
    isAllowed: isPermission(view) ? isAllowed(outcome) : null,
    from: asker?.agent === RUN ? 'run' : 'agent',
    askedAt: createdAt,
    askedBy: asker?.agent ?? null,
    answer: outcomeInWords(view),
    answeredAt: 'at' in outcome ? outcome.at : null,
    answeredBy: view.actor,
  };
}

/** The person's own words deny; null if nobody decided. */
function isAllowed(outcome: QuestionView['outcome']): boolean | null {
  if (outcome.status === 'rejected') return false;
  if (outcome.status !== 'completed') return null;
  const { selectedOption, customText = '' } = outcome.answers[0] ?? {};
  return (
    (selectedOption === PERMISSION_CHOICES.allow || selectedOption === PERMISSION_CHOICES.always) &&
    customText.trim() === ''
  );
}

function ofJournal({ id, title, prompt, from, at }: HistoryQuestion): AskedQuestion {
  const unknown = { answer: null, answeredAt: null, answeredBy: null, askedBy: null };
  return {
    id,
    title,
    prompts: [prompt],
    status: 'gone',
    isPermission: false,
    isAllowed: null,
    from,
    askedAt: at,
    ...unknown,
  };
}

/** An answer is heard at once, so one given longer before a decision was for another question. */
const HEARD_WITHIN_MS = 60_000;

/** Who allowed what: a rule, or the person if a card says who it was. */
export function permissionsOf(
  { permissions }: Pick<RunHistory, 'permissions'>,
  questions: readonly AskedQuestion[],
): ReportedPermission[] {
  const cards = questions.filter((one) => one.isAllowed !== null);
  const told = permissions.map(({ isByPerson, ...permission }) => {
    if (!isByPerson) return permission;
    const atMs = Date.parse(permission.firstAt);
    const card = cards.findLast(({ answeredAt }) => {
      const agoMs = atMs - Date.parse(answeredAt ?? '');
      return agoMs >= 0 && agoMs <= HEARD_WITHIN_MS;
    });
    if (card === undefined) return permission;
    cards.splice(cards.indexOf(card), 1);
    return { ...permission, by: card.answeredBy ?? permission.by };
  });
  // A decision made right before a process died is missing from its journal, but not from the card.
  return [...told, ...cards.map(ofCard)].sort((a, b) => Date.parse(a.firstAt) - Date.parse(b.firstAt));
}

function ofCard({ prompts, isAllowed: yes, answeredBy, answeredAt }: AskedQuestion): ReportedPermission {
  const at = answeredAt ?? '';
  return {
    tool: '',
    what: inOneLine(prompts.join(' ').replace(ABOUT_WORDS, '')),
    decision: yes === true ? 'allowed' : 'denied',
    by: answeredBy ?? BY_A_PERSON,
    message: null,
    count: 1,
    firstAt: at,
    lastAt: at,
  };
}
