import { type Codec, RecordFault } from '../../src/foundation/index.js';

/** What a codec makes of a value on disk, or why it refuses it. */
export function readBy<Value>(codec: Codec<Value>, value: unknown): Value | RecordFault {
  return faultOr(() => codec.fromDisk(value));
}

/** What a codec would write, or why it refuses to. */
export function writtenBy<Value>(codec: Codec<Value>, value: Value): unknown {
  return faultOr(() => codec.toDisk(value));
}

function faultOr<Result>(act: () => Result): Result | RecordFault {
  try {
    return act();
  } catch (error) {
    if (error instanceof RecordFault) return error;
    throw error;
  }
}
