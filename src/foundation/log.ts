/** Facts of a log event. Never prompt text, answers or environment values above `debug`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where diagnostics go. The library is silent unless it is given one. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
