import { InvalidInputError } from '../../../foundation/index.js';
import { BodyTooLargeError, NotJsonError } from '../errors.js';

const MAX_BODY_BYTES = 256 * 1024;

/** Reads the body of a write. Throws NOT_JSON, BODY_TOO_LARGE, INVALID_INPUT. */
export async function readJson(request: Request): Promise<unknown> {
  if (!/^application\/json(?:;\s*charset=utf-8)?$/i.test(request.headers.get('content-type') ?? ''))
    throw new NotJsonError();
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES)
    throw new BodyTooLargeError(MAX_BODY_BYTES);
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidInputError('The request is not JSON', { cause });
  }
}

/** Never holds more than the allowed size, whatever length was announced. */
async function readText({ body }: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += (chunk as Uint8Array).byteLength;
    if (length > MAX_BODY_BYTES) throw new BodyTooLargeError(MAX_BODY_BYTES);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}
