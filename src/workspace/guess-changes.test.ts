import { expect } from 'vitest';
import { verifies } from '../../test/support/verifies.js';
import { guessChanges } from './guess-changes.js';

verifies('P06', 'the text rules count phrases, and a denial is no change', () => {
  const output = 'Created file a.ts\nModified file b.ts, Modified file c.ts\nDeleted file d.ts';
  expect(guessChanges(output)).toEqual({ madeChanges: true, filesChanged: 4 });
  expect(guessChanges('I wrote to the log')).toEqual({ madeChanges: true, filesChanged: 0 });
  expect(guessChanges('The parser was updated.')).toEqual({ madeChanges: true, filesChanged: 0 });
  expect(guessChanges('Nothing was changed. The rest is unchanged.')).toEqual({
    madeChanges: false,
    filesChanged: 0,
  });
  expect(guessChanges('Nothing to do here. One file changed.')).toEqual({
    madeChanges: true,
    filesChanged: 0,
  });
});
