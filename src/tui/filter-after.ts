import type { Key } from './keys.js';
import { graphemesOf } from './wrap.js';

const MAX_FILTER = 200;

/** The filter after a key, or undefined if the key does not change it. */
export function filterAfter(filter: string, key: Key): string | undefined {
  if (key.name === 'backspace') return graphemesOf(filter).slice(0, -1).join('');
  if (key.name === 'ctrl-u') return '';
  if (key.name === 'ctrl-w') return filter.replace(/\S+\s*$/, '');
  if (!('text' in key)) return undefined;
  return (filter + key.text.replaceAll(/\s+/g, ' ')).slice(0, MAX_FILTER);
}
