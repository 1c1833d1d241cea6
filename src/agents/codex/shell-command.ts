const SHELL = /^(?:\/\S*\/)?(?:ba|z|da)?sh -l?c (?=.)/;
const PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\$`;&|<>()*?[\]{}~#!]+)/y;

/**
 * The command that Codex gives to a shell, without the shell and the quotes around it; anything else is returned
 * unchanged. It removes only what Codex itself added, so nothing that would run is hidden.
 */
export function withoutShell(written: string): string {
  const shell = SHELL.exec(written)?.[0];
  if (shell === undefined) return written;
  return readWord(written.slice(shell.length)) ?? written;
}

/** The text as a shell would read it, if it is a single word. */
function readWord(text: string): string | undefined {
  let word = '';
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const part = PART.exec(text);
    if (part === null) return undefined;
    const [, single, double, escaped, plain] = part;
    if (double !== undefined && /(?<!\\)(?:\\\\)*[$`]/.test(double)) return undefined;
    word += single ?? double?.replaceAll(/\\([$`"\\])/g, '$1') ?? escaped ?? plain ?? '';
  }
  return word;
}
