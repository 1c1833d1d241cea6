import { visibleExcerpt, visibleLabel } from '../../foundation/index.js';
import type { Question } from '../../sessions/question/index.js';

/** What a person chose for one question. */
export interface Choice {
  readonly labels: readonly string[];
  readonly ownWords?: string;
}

/** What a line means as a reply to a question: a choice, a request, or a fault. */
export type ParsedReply = Choice | { readonly fault: string } | 'own-words' | 'reject' | 'later' | 'back';

/** Reads a line that answers a question. */
export function parseReply(question: Question, line: string): ParsedReply {
  const typed = line.trim();
  const labelled = labelNamed(question, typed);
  if (labelled !== undefined) return { labels: [labelled] };
  const own = /^o(?:\s+([\s\S]+))?$/i.exec(typed);
  if (own !== null) return own[1] === undefined ? 'own-words' : { labels: [], ownWords: own[1] };
  const word = WORDS[typed.toLowerCase()];
  if (word !== undefined) return word;
  return parseNumbers(question, typed) ?? labelStarting(question, typed) ?? { fault: howTo(question) };
}

const WORDS: Readonly<Record<string, 'reject' | 'later' | 'back'>> = { r: 'reject', l: 'later', b: 'back' };

/** A choice in words, safe for a terminal. */
export function describeChoice(choice: Choice | undefined): string {
  const { labels = [], ownWords } = choice ?? {};
  const parts = labels.map((label) => visibleLabel(label));
  if (ownWords !== undefined) parts.push(`in your own words: ${visibleExcerpt(ownWords, 200)}`);
  return parts.length === 0 ? 'none of them' : parts.join(', ');
}

function labelNamed({ options }: Question, typed: string): string | undefined {
  return options.find(({ label }) => label === typed)?.label;
}

function parseNumbers({ options, multiSelect }: Question, typed: string): Choice | undefined {
  if (!/^\d{1,3}(?:\s*,\s*\d{1,3})*$/.test(typed)) return undefined;
  const numbers = typed.split(',').map(Number);
  if (multiSelect === true && numbers.length === 1 && numbers[0] === 0) return { labels: [] };
  if (multiSelect !== true && numbers.length !== 1) return undefined;
  const labels = numbers.map((number) => options[number - 1]?.label);
  return labels.every((label) => label !== undefined) ? { labels: [...new Set(labels)] } : undefined;
}

/** The option that starts with these letters, if exactly one does. */
function labelStarting({ options }: Question, typed: string): Choice | undefined {
  if (typed === '') return undefined;
  const found = options.filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()));
  return found.length === 1 && found[0] !== undefined ? { labels: [found[0].label] } : undefined;
}

function howTo({ options, multiSelect }: Question): string {
  const count = options.length;
  const number =
    multiSelect === true ? `Numbers from 1 to ${count}, separated by commas` : `A number from 1 to ${count}`;
  return `${number}, or o and your own words, r to reject it, l to leave it for the inbox.`;
}
