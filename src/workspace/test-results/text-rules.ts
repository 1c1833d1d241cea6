/**
 * The process spec's text rules, the last resort if neither a summary nor an exit code is known: look for a line about
 * test results, then for words of failing before words of passing. Unlike in its sketch, "0 failed" is not a failure,
 * and only lines from the first mention on are checked.
 */
export function judgeByText(output: string): boolean | undefined {
  const start = output.search(/test result:|Tests:/);
  if (start === -1) return undefined;
  const told = output.slice(start).replaceAll(/\b(?:0|no|zero) (?:tests? )?failed\b/gi, '');
  if (/FAILED|failed/.test(told)) return false;
  return /passed|\bok\b/.test(told) ? true : undefined;
}
