/** Passes on the lines of a stream, split at LF only: readline would also split at U+2028. */
export function readLines(
  stream: NodeJS.ReadableStream,
  onLine: (line: string) => void,
  onEnd: () => void,
): void {
  let pending: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]).toString('utf8');
      pending = [];
      from = end + 1;
      onLine(line);
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
  });
  stream.once('end', onEnd);
  stream.once('error', onEnd);
}
