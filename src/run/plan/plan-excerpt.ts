import type { PrpSection, PrpTopic } from '../../plans/index.js';
import type { Phase } from '../../sessions/loop/index.js';

/** Which parts of a plan matter to a phase, by what the phase works towards. */
const TOPICS: Readonly<Record<Phase['gate'], readonly PrpTopic[]>> = {
  'a-test-fails': ['goal', 'context', 'work'],
  'new-tests-fail': ['goal', 'context', 'work'],
  'all-pass': ['goal', 'context', 'work', 'validation'],
  'tests-pass': ['goal', 'context', 'work', 'validation'],
  'checks-green': ['goal', 'context', 'validation'],
  'still-green': ['goal', 'context', 'validation'],
  'document-changed': ['goal', 'documents'],
  documents: ['goal', 'documents'],
  'work-done': ['goal', 'context', 'work', 'documents', 'validation', 'other'],
  'story-done': [],
};

const MAX_SECTION = 4_000;
const MAX_ALL = 12_000;

/**
 * The sections of a plan that matter to a phase, as written and within bounds; the others by name. Empty if there are none.
 */
export function planExcerpt(
  sections: readonly PrpSection[],
  options: { readonly gate: Phase['gate']; readonly path: string; readonly hasCriteria: boolean },
): string {
  const { gate, path, hasCriteria } = options;
  // The criteria have a list of their own in the prompt.
  const told = sections.filter(({ topic }) => topic !== 'criteria' || !hasCriteria);
  const fitting = told.filter(({ topic }) => topic === 'criteria' || TOPICS[gate].includes(topic));
  // If no heading means anything to us, the plan is quoted from its beginning.
  const chosen = fitting.length === 0 ? told : fitting;
  let room = MAX_ALL;
  const parts: string[] = [];
  const left = told.filter((section) => !chosen.includes(section)).map(({ heading }) => heading);
  for (const { heading, text } of chosen) {
    const limit = Math.min(MAX_SECTION, room);
    if (limit < Math.min(text.length, MIN_PIECE)) {
      left.push(heading);
      continue;
    }
    const shown = text.length <= limit ? text : `${cutAtLine(text, limit)}\n… (cut; the rest is in ${path})`;
    room -= Math.min(text.length, limit);
    parts.push(`### From the plan: ${heading}\n\n${defused(shown)}`);
  }
  if (left.length > 0) parts.push(`Also in ${path}: ${left.join('; ')}. Read them there if you need them.`);
  return parts.join('\n\n');
}

/** A piece of a section shorter than this says nothing. */
const MIN_PIECE = 200;

function cutAtLine(text: string, limit: number): string {
  const end = text.lastIndexOf('\n', limit);
  return text.slice(0, end > limit / 2 ? end : limit).trimEnd();
}

/** A plan may quote a status block. An agent that repeats the prompt must not claim anything by that. */
function defused(text: string): string {
  return text.replaceAll(/^ {0,3}(?=---(?:END_)?(?:PRP_PHASE_STATUS|RALPH_STATUS)---)/gm, '    ');
}
