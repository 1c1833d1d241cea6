/** Quotes any text as a single word of a shell command line. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word of a command line as a person would type it: quoted only where a shell needs it. */
export function typedWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text);
}
