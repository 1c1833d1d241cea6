/** A count with its word: `1 file`, `2 files`. The plural is the word with an `s` unless it is given. */
export function counted(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}

/** A whole number in groups of three: `1,234,567`. `toLocaleString` would first load the words of every language. */
export function grouped(count: number): string {
  return `${count}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
