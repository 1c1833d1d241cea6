import type { LogFields, Logger } from '../../src/foundation/index.js';

export interface LoggedEvent {
  readonly level: keyof Logger;
  readonly event: string;
  readonly fields: LogFields;
}

/** A logger that remembers. */
export class RecordingLog implements Logger {
  readonly events: LoggedEvent[] = [];

  debug(event: string, fields: LogFields = {}): void {
    this.events.push({ level: 'debug', event, fields });
  }

  info(event: string, fields: LogFields = {}): void {
    this.events.push({ level: 'info', event, fields });
  }

  warn(event: string, fields: LogFields = {}): void {
    this.events.push({ level: 'warn', event, fields });
  }

  error(event: string, fields: LogFields = {}): void {
    this.events.push({ level: 'error', event, fields });
  }

  named(event: string): LoggedEvent[] {
    return this.events.filter((logged) => logged.event === event);
  }
}
