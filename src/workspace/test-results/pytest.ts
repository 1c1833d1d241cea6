import { countsByWord, type FindSummaries } from './counts.js';

/** The last line, with its frame or (`-q`) without. */
const SUMMARY =
  /^(?:=+ )?(?<counts>\d+ [a-z ]+(?:, \d+ [a-z ]+)*|no tests ran) in (?<seconds>\d+\.\d+)s(?: \([\d:]+\))?(?: =+)?$/gm;
/** Without one of these it is somebody else's line. */
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
