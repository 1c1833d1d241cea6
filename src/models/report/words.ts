import { visibleBlock, visibleExcerpt } from '../../foundation/text/visible-text.js';
import { durationOf } from '../run-view/words.js';

/** `2026-11-16 14:02:09 UTC`: a report is read elsewhere. */
export function momentOf(at: string | null): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return 'unknown';
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Only the time of day, for what happened within one day. */
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

/** Foreign text in one line. */
export function line(text: string, maxLength = 160): string {
  return visibleExcerpt(text.trim(), maxLength);
}

/** Foreign text with its lines, cut where it is too long. */
export function lines(text: string, maxLength = 1_200): string {
  const shown = visibleBlock(text.trim());
  const characters = Array.from(shown);
  return characters.length <= maxLength ? shown : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** The end of a text with its lines. */
export function lastLines(text: string, maxLength: number): string {
  const characters = Array.from(visibleBlock(text.trim()));
  return characters.length <= maxLength
    ? characters.join('')
    : `…${characters.slice(-maxLength + 1).join('')}`;
}

export function baseName(path: string): string {
  return path.split('/').filter(Boolean).at(-1) ?? path;
}
