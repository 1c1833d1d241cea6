/** Terminals that would show the sequence instead of obeying it. */
const WITHOUT = /^(dumb|linux|vt\d+)?$/;

/** Asks the terminal to copy a text (OSC 52) if it understands that; it does not report whether it did. */
export function copyByTerminal(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  terminal: string | undefined,
  text: string,
): boolean {
  if (!stream.isTTY || WITHOUT.test(terminal ?? '')) return false;
  stream.write(`\x1b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\x07`);
  return true;
}
