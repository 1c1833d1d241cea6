import type * as z from 'zod';
import { visibleExcerpt } from './text/visible-text.js';

/** The first problem with an input in plain words, and its place, such as `questions[0].title`. */
export function firstIssue(error: z.ZodError): { readonly place: string; readonly reason: string } {
  const [issue] = error.issues;
  return { place: placeOf(issue?.path ?? []), reason: visibleExcerpt(inWords(issue), 200) };
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
};

function inWords(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys')
    return `unknown key ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  if (issue?.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue?.code !== 'invalid_type') return issue?.message ?? 'not valid';
  const expected = KINDS[issue.expected] ?? issue.expected;
  return issue.message.endsWith('received undefined')
    ? `is missing; ${expected} is expected`
    : `${expected} is expected`;
}
