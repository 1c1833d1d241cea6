/** The places of the page. None of them carries a secret. */
export type Place =
  | { readonly name: 'inbox' }
  | { readonly name: 'question'; readonly id: string }
  | { readonly name: 'runs' }
  | { readonly name: 'run'; readonly id: string }
  | { readonly name: 'devices' }
  | { readonly name: 'nowhere' };

/** Which place a path is. */
export function placeOf(path: string): Place {
  if (path === '/') return { name: 'inbox' };
  if (path === '/runs') return { name: 'runs' };
  if (path === '/devices') return { name: 'devices' };
  const [, letter, id = ''] = /^\/(q|r)\/([\w-]{1,80})$/.exec(path) ?? [];
  if (letter === 'q') return { name: 'question', id };
  return letter === 'r' ? { name: 'run', id } : { name: 'nowhere' };
}
