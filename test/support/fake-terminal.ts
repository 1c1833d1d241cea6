import { EventEmitter } from 'node:events';

/** As much of a terminal as our views use: its size, and size changes. */
export class FakeTerminal extends EventEmitter {
  columns: number;
  rows: number;

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.emit('resize');
  }
}
