/** Alerts the person at a terminal that something new is waiting for them. */
export function ringBell(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): void {
  if (stream.isTTY) stream.write('\x07');
}
