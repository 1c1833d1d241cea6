import { redact } from '../foundation/index.js';
import { LineSplitter } from './line-splitter.js';
import type { OutputLog } from './output-log.js';

const MAX_LOGGED_LINE_BYTES = 1024 * 1024;

/** Passes the output of a program through the redaction funnel into its log, line by line and stream by stream. */
export class OutputRecorder {
  readonly #splitters: Readonly<Record<'stdout' | 'stderr', LineSplitter>>;
  readonly #log: OutputLog;

  /** `onEnded` is told once when the disk takes no more; the program goes on. */
  constructor(log: OutputLog, onEnded: (error: unknown) => void) {
    this.#log = log;
    const write = (text: string) => {
      const error = log.write(`${text}\n`);
      if (error !== undefined) onEnded(error);
    };
    const splitter = () =>
      new LineSplitter({
        maxBytes: MAX_LOGGED_LINE_BYTES,
        onLine: (line) => write(redact(line)),
        onOversized: ({ bytes }) => write(`[a line of ${bytes} bytes]`),
      });
    this.#splitters = { stdout: splitter(), stderr: splitter() };
  }

  push(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this.#splitters[stream].push(chunk);
  }

  end(): void {
    this.#splitters.stdout.end();
    this.#splitters.stderr.end();
    this.#log.close();
  }
}
