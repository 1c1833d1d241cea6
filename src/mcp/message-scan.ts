const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const MAX_TOKEN_BYTES = 1_024;

/**
 * Finds the id of a request in a message that is too long to keep, byte by byte: clients write it before the parameters
 * or after them. Ids inside the parameters do not count.
 */
export class MessageScan {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #key: string | null = null;
  #token: number[] = [];
  #id: unknown;
  #hasMethod = false;

  /** Null if it is not a request, or not JSON. */
  get requestId(): string | number | null {
    const id = this.#id;
    return this.#hasMethod && (typeof id === 'string' || typeof id === 'number') ? id : null;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#depth !== 1 && !this.#isEscaped) at = nextSpecial(bytes, at);
      const byte = bytes[at];
      if (byte === undefined) return;
      if (this.#isInString) this.#readInString(byte);
      else this.#read(byte);
    }
  }

  #readInString(byte: number): void {
    this.#collect(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #read(byte: number): void {
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (this.#depth === 1) this.#endMember();
      this.#depth -= 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#collect(byte);
      this.#depth += 1;
    } else if (this.#depth === 1 && byte === COMMA) this.#endMember();
    else if (this.#depth === 1 && byte === COLON) {
      this.#key = this.#takeToken();
    } else {
      this.#isInString = byte === QUOTE;
      this.#collect(byte);
    }
  }

  #collect(byte: number): void {
    if (this.#depth === 1 && this.#token.length < MAX_TOKEN_BYTES) this.#token.push(byte);
  }

  #takeToken(): string {
    const token = Buffer.from(this.#token).toString('utf8').trim();
    this.#token = [];
    return token;
  }

  #endMember(): void {
    const value = this.#takeToken();
    if (this.#key === '"method"') this.#hasMethod = true;
    if (this.#key === '"id"') this.#id = parsed(value);
    this.#key = null;
  }
}

const SPECIAL = new Uint8Array(256);
for (const byte of [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET])
  SPECIAL[byte] = 1;

/** Skips quickly over bytes without a meaning of their own: inside the parameters that is nearly all of them. */
function nextSpecial(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && SPECIAL[bytes[at] ?? 0] === 0) at += 1;
  return at;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not an id that could be answered
  }
}
