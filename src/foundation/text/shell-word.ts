/** A text as one word of a shell's command line, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
