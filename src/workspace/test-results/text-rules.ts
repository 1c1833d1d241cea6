/**
 * The process spec's text rules, the last resort where neither a summary nor an exit code is known: a line about test
 * results, then the words for failing before those for passing. Unlike in its sketch, "0 failed" is no failure, and only
 * the lines from the first mention on are looked at.
 */
export function judgeByText(output: string): boolean | undefined {
  const start = output.search(/test result:|Tests:/);
  if (start === -1) return undefined;
  const told = output.slice(start).replaceAll(/\b(?:0|no|zero) (?:tests? )?failed\b/gi, '');
  if (/FAILED|failed/.test(told)) return false;
  return /passed|\bok\b/.test(told) ? true : undefined;
}
