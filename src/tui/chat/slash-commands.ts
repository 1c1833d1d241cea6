/** What a line that starts with a slash asks for. */
export type SlashCommand =
  | { readonly name: 'help' | 'exit' | 'clear' | 'stats' }
  | { readonly name: 'history'; readonly count: number | null }
  | { readonly name: 'save'; readonly path: string | null }
  | { readonly name: 'export' | 'import'; readonly path: string }
  | { readonly name: 'agent'; readonly agent: string };

export const HELP: readonly (readonly [string, string])[] = [
  ['/help', 'this list'],
  ['/exit', 'save and leave (Ctrl+D)'],
  ['/save [file]', 'the conversation as Markdown'],
  ['/history [n]', 'what was said, or the last n turns'],
  ['/clear', 'forget what was said; the file keeps it'],
  ['/stats', 'turns, tokens, how full the context is'],
  ['/agent <name>', 'a new conversation with another agent'],
  ['/export <file>', 'the conversation as JSON'],
  ['/import <file>', 'take in an exported conversation'],
];

/** Reads a slash command. A string says what is wrong with it; undefined means the line is a message. */
export function parseSlashCommand(line: string): SlashCommand | string | undefined {
  const match = /^\/(\S*)(?:\s+([\s\S]*?))?\s*$/.exec(line);
  if (match === null || line.startsWith('//')) return undefined;
  const [, name = '', rest = ''] = match;
  switch (name) {
    case 'help':
    case 'exit':
    case 'clear':
    case 'stats':
      return { name };
    case 'quit':
      return { name: 'exit' };
    case 'history':
      return parseHistory(rest);
    case 'save':
      return { name, path: rest === '' ? null : rest };
    case 'export':
    case 'import':
      return rest === '' ? `/${name} needs a file, such as /${name} talk.json` : { name, path: rest };
    case 'agent':
      return rest === '' ? '/agent needs a name; `holdfast agents` lists them' : { name, agent: rest };
    default:
      return `Unknown command: /${name}\nType /help for available commands`;
  }
}

function parseHistory(rest: string): SlashCommand | string {
  if (rest === '') return { name: 'history', count: null };
  return /^[1-9]\d{0,5}$/.test(rest)
    ? { name: 'history', count: Number(rest) }
    : '/history takes a number, such as /history 10';
}
