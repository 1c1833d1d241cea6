/** The places of the page. None of them carries a secret. */
export type Place =
  | { readonly name: 'inbox' }
  | { readonly name: 'question'; readonly id: string }
  | { readonly name: 'runs' }
  | { readonly name: 'run'; readonly id: string }
  | { readonly name: 'report'; readonly id: string }
  | { readonly name: 'sessions' }
  | { readonly name: 'transcript'; readonly id: string }
  | { readonly name: 'devices' }
  | { readonly name: 'nowhere' };

/** The place that a path leads to. */
export function placeOf(path: string): Place {
  if (path === '/') return { name: 'inbox' };
  if (path === '/runs') return { name: 'runs' };
  const report = /^\/r\/([\w-]{1,80})\/report$/.exec(path)?.[1];
  if (report !== undefined) return { name: 'report', id: report };
  if (path === '/s') return { name: 'sessions' };
  const [, session] = /^\/s\/([\w.-]{1,64})$/.exec(path) ?? [];
  if (session !== undefined) return { name: 'transcript', id: session };
  if (path === '/devices') return { name: 'devices' };
  const [, letter, id = ''] = /^\/(q|r)\/([\w-]{1,80})$/.exec(path) ?? [];
  if (letter === 'q') return { name: 'question', id };
  return letter === 'r' ? { name: 'run', id } : { name: 'nowhere' };
}
