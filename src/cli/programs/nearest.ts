/** How many letters may differ for two names to be near. */
const NEAR = 2;

/**
 * The commands that a mistyped line may have meant: those of the group it names, else those that have all its words in the same
 * order, else the nearest by letters, else those of the group it begins with.
 */
export function nearestCommands(names: readonly string[], typed: readonly string[]): string[] {
  const options = typed.findIndex((word) => word.startsWith('-'));
  const words = options === -1 ? typed : typed.slice(0, options);
  const line = words.join(' ');
  const group = names.filter((name) => name.startsWith(`${line} `));
  if (line !== '' && group.length > 0) return group;
  return firstOf(
    () => names.filter((name) => hasWordsInOrder(name, words)),
    () => nearest(names, words),
    () => names.filter((name) => words.length > 1 && name.startsWith(`${words.slice(0, 2).join(' ')} `)),
  );
}

function firstOf(...choices: readonly (() => string[])[]): string[] {
  for (const choose of choices) {
    const found = choose();
    if (found.length > 0) return found;
  }
  return [];
}

/** `agent flush` for `agent session flush`, `task done 1.1` for `agent task done`. */
function hasWordsInOrder(name: string, words: readonly string[]): boolean {
  const of = name.split(' ');
  const known = words.filter((word) => of.includes(word));
  const isLast = known.at(-1) === of.at(-1) && known.length > 0;
  return isLast && words.indexOf(known.at(-1) ?? '') === known.length - 1;
}

function nearest(names: readonly string[], words: readonly string[]): string[] {
  const distances = names.map((name) => {
    const count = name.split(' ').length;
    return { name, distance: distanceOf(words.slice(0, count).join(' '), name) };
  });
  const least = Math.min(...distances.map(({ distance }) => distance));
  return least > NEAR ? [] : distances.filter(({ distance }) => distance === least).map(({ name }) => name);
}

/** How many letters must be inserted, removed, replaced or swapped with the next to turn one text into the other. */
function distanceOf(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
