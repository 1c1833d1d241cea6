import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isStreamLine, schemaOf } from './schema.js';

it('checks stream events by hand just as its schema does', () => {
  const anything = fc.constantFrom(undefined, null, 'words', '', 0, 7, true, {}, []);
  const some = (shape: Record<string, fc.Arbitrary<unknown>>) => fc.record(shape, { requiredKeys: [] });
  const delta = fc.oneof(anything, some({ text: anything, thinking: anything, type: anything }));
  const event = fc.oneof(anything, some({ type: anything, index: anything, delta }));
  const line = some({ event, parent_tool_use_id: anything }).map((fields) => ({
    type: 'stream_event',
    ...fields,
  }));
  fc.assert(
    fc.property(line, (value) => {
      expect(isStreamLine(value)).toBe(schemaOf('stream_event')?.safeParse(value).success);
    }),
    { numRuns: 1_000 },
  );
});
