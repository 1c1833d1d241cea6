import { counted, lenient, number, oneOf, record, type ValueOf } from '../../../foundation/index.js';

/** What a gate can lack. */
export const LACKS = [
  'measurement',
  'new-failing-tests',
  'earlier-tests',
  'failing-checks',
  'green-baseline',
  'passing-checks',
  'tests',
  'passing-tests',
  'green-runs',
  'improvement',
  'documents',
  'decision-records',
  'changed-documents',
  'changed-files',
  'tasks',
] as const;

/** One thing a gate lacks: how much of it there is, and how much there must be. */
export const Missing = record({
  what: lenient(oneOf(LACKS), 'measurement' as const),
  have: number(),
  want: number(),
});
export type Missing = ValueOf<typeof Missing>;

type Words = (missing: Missing) => string;

const WORDS: Readonly<Record<Missing['what'], Words>> = {
  measurement: () => 'nothing was measured',
  'new-failing-tests': ({ have, want }) => needs(have, counted(want, 'new failing test')),
  'earlier-tests': ({ have, want }) =>
    `only ${have} of the ${want} tests that passed before the run still pass`,
  'failing-checks': () => 'the checks pass, but must fail now',
  'green-baseline': () =>
    'the checks failed before the run and report no test numbers, so a new failure cannot be seen',
  'passing-checks': ({ have }) => `the checks end with exit code ${have}`,
  tests: ({ have, want }) => needs(have, counted(want, 'test')),
  'passing-tests': ({ have, want }) => `${have} of ${counted(want, 'test')} pass`,
  'green-runs': ({ have, want }) => needs(have, `${want} green runs in a row`),
  improvement: () => 'no files changed, and the agent did not say that nothing is left to improve',
  documents: ({ have, want }) => needs(have, counted(want, 'document')),
  'decision-records': ({ have, want }) => needs(have, counted(want, 'decision record')),
  'changed-documents': () => 'no document changed and no reason given why none is needed',
  'changed-files': () => 'no files changed',
  tasks: ({ have, want }) => `${have} of ${counted(want, 'task')} done`,
};

/** `missing: 1 of 4 tests` would read as if one test were missing. */
function needs(have: number, wanted: string): string {
  return `needs ${wanted}, has ${have}`;
}

/** What a gate lacks, in numbers: `needs 3 new failing tests, has 2 · 18 of 20 tests pass`. Empty if it lacks nothing. */
export function describeMissing(missing: readonly Missing[]): string {
  return missing.map((one) => WORDS[one.what](one)).join(' · ');
}

/** Whether what is missing is tests that the plan may not need at all; if so, `--phases work` is the way out. */
export function isAboutTests(missing: readonly Missing[]): boolean {
  return missing.some(({ what }) => WANTS_TESTS.has(what));
}

const WANTS_TESTS: ReadonlySet<Missing['what']> = new Set([
  'new-failing-tests',
  'failing-checks',
  'green-baseline',
  'tests',
]);
