import { countsByWord, type FindSummaries } from './counts.js';

/** The last line, with or (`-q`) without its frame. */
const SUMMARY =
  /^(?:=+ )?(?<counts>\d+ [a-z ]+(?:, \d+ [a-z ]+)*|no tests ran) in (?<seconds>\d+\.\d+)s(?: \([\d:]+\))?(?: =+)?$/gm;
/** Without one of these words, the line is not pytest's. */
const OWN_WORD = /\b(?:passed|failed|errors?|skipped|xfailed|xpassed|deselected)\b|no tests ran/;

/** pytest. A test that could not be set up, and a file that could not be collected (`error`), count as failed. */
export const findPytest: FindSummaries = (output) =>
  [...output.matchAll(SUMMARY)]
    .filter(({ groups = {} }) => OWN_WORD.test(groups.counts ?? ''))
    .map(({ groups = {} }) => {
      const count = countsByWord(groups.counts ?? '');
      return {
        passed: count('passed', 'xpassed'),
        failed: count('failed', 'error', 'errors'),
        skipped: count('skipped', 'xfailed'),
        durationMs: Number(groups.seconds) * 1_000,
      };
    });
