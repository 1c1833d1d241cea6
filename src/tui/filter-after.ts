import type { Key } from './keys.js';
import { graphemesOf } from './wrap.js';

const MAX_FILTER = 200;

/** What a key makes of a filter; undefined where it makes nothing of it. */
export function filterAfter(filter: string, key: Key): string | undefined {
  if (key.name === 'backspace') return graphemesOf(filter).slice(0, -1).join('');
  if (key.name === 'ctrl-u') return '';
  if (key.name === 'ctrl-w') return filter.replace(/\S+\s*$/, '');
  if (!('text' in key)) return undefined;
  return (filter + key.text.replaceAll(/\s+/g, ' ')).slice(0, MAX_FILTER);
}
