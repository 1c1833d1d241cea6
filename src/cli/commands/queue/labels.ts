/** `linux,docker` as labels; undefined if nothing was typed. */
export function labelsOf(typed: string | undefined): string[] | undefined {
  const labels = typed
    ?.split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
  return labels?.length === 0 ? undefined : labels;
}
