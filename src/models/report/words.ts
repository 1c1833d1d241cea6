import { visibleBlock, visibleExcerpt } from '../../foundation/text/visible-text.js';
import { durationOf } from '../run-view/words.js';

/** `2026-11-16 14:02:09 UTC`, since a report is also read in other time zones. */
export function momentOf(at: string | null): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return 'unknown';
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Only the time of day, for events within one day. */
export function timeOf(at: string | null): string {
  const date = new Date(at ?? '');
  return Number.isNaN(date.getTime()) ? '?' : date.toISOString().slice(11, 19);
}

/** `1.4s` below ten seconds, `12m 34s` above. */
export function spanOf(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return 'unknown';
  return ms < 9_950 ? `${(Math.max(0, ms) / 1_000).toFixed(1)}s` : durationOf(ms);
}

/** `41,200`. */
export function numberOf(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Foreign text as one line. */
export function line(text: string, maxLength = 160): string {
  return visibleExcerpt(text.trim(), maxLength);
}

/** Foreign text with its line breaks, cut if it is too long. */
export function lines(text: string, maxLength = 1_200): string {
  const shown = visibleBlock(text.trim());
  const characters = Array.from(shown);
  return characters.length <= maxLength ? shown : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** The end of a text, with its line breaks. */
export function lastLines(text: string, maxLength: number): string {
  const characters = Array.from(visibleBlock(text.trim()));
  return characters.length <= maxLength
    ? characters.join('')
    : `…${characters.slice(-maxLength + 1).join('')}`;
}

const PLACES: Readonly<Record<string, string>> = {
  cli: 'at the command line',
  inbox: 'in the terminal inbox',
  top: 'in `holdfast top`',
  hook: 'by a hook of the agent',
  service: 'by the service',
  worker: 'by a worker of the queue',
  library: 'by a program that uses the library',
  auq: 'in AUQ',
  outside: 'by another program',
};

/** Where, or by what, something was decided. Records name no person, only the place. */
export function placeOf(actor: string, encoded: (text: string, maxLength: number) => string = line): string {
  const [kind = '', ...rest] = actor.split(':');
  const name = rest.join(':');
  const place = Object.hasOwn(PLACES, actor) ? PLACES[actor] : undefined;
  if (place !== undefined) return place;
  if (name !== '' && kind === 'page') return `on the page (${encoded(name, 60)})`;
  if (name !== '' && kind === 'mcp') return `by ${encoded(name, 60)} over MCP`;
  if (name !== '' && kind === 'fleet') return `from ${encoded(name, 60)}`;
  return `by ${encoded(actor, 160)}`;
}

const SHORT_PLACES: Readonly<Record<string, string>> = {
  cli: 'command line',
  inbox: 'inbox',
  library: 'a program',
  outside: 'a program',
};

/** The same for beside a bar, where only two words fit. */
export function shortPlaceOf(actor: string): string {
  if (Object.hasOwn(SHORT_PLACES, actor)) return SHORT_PLACES[actor] ?? '';
  return actor.startsWith('page:') ? 'page' : line(actor.replace(/^(mcp|fleet):/, ''), 20);
}

export function baseName(path: string): string {
  return path.split('/').filter(Boolean).at(-1) ?? path;
}
