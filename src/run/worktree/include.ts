/** What a `.worktreeinclude` asks for, and its lines that are refused. */
export interface IncludePatterns {
  /** Whether a file is wanted, by its path from the top of the repository. */
  isWanted(path: string): boolean;
  /** Lines that lead out of the repository, or into directories that are never copied. */
  readonly refused: readonly string[];
}

/** Never copied, whatever the file says: git's files and ours. */
const NEVER: ReadonlySet<string> = new Set(['.git', '.prp-session', '.holdfast']);

/**
 * Reads patterns as a simple form of `.gitignore`: `*`, `?`, `**`, a slash at the end for directories, any other slash to
 * anchor at the top, `!` to take back; `#` begins a comment.
 */
export function parseInclude(text: string): IncludePatterns {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const refused = lines.filter(isRefused);
  const rules = lines.filter((line) => !isRefused(line)).map(ruleOf);
  return {
    refused,
    isWanted(path) {
      if (path.split('/').some((part) => NEVER.has(part))) return false;
      return rules.findLast(({ pattern }) => pattern.test(path))?.isWanted ?? false;
    },
  };
}

function isRefused(line: string): boolean {
  const parts = line.replace(/^!/, '').split('/');
  return parts.some((part) => part === '..' || part === '~' || NEVER.has(part));
}

function ruleOf(line: string): { readonly pattern: RegExp; readonly isWanted: boolean } {
  const isWanted = !line.startsWith('!');
  const body = isWanted ? line : line.slice(1);
  const isDirectory = body.endsWith('/');
  const path = body.replace(/^\//, '').replace(/\/+$/, '');
  const isAnchored = body.replace(/\/+$/, '').includes('/');
  const before = isAnchored ? '' : '(?:.*/)?';
  const behind = isDirectory ? '/.*' : '(?:/.*)?';
  return { pattern: new RegExp(`^${before}${asExpression(path)}${behind}$`, 's'), isWanted };
}

/** Each part separately, so no star matches a slash. */
function asExpression(path: string): string {
  return path
    .split('/')
    .map((part, at, parts) => {
      const isLast = at === parts.length - 1;
      if (part === '**') return isLast ? '.*' : '(?:.*/)?';
      const text = part
        .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll(/\*+/g, '[^/]*')
        .replaceAll('?', '[^/]');
      return isLast ? text : `${text}/`;
    })
    .join('');
}
