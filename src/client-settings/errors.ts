import { HoldfastError } from '../foundation/index.js';
import type { AgentClient, ClientName } from './client.js';

/** A place in a file, counted from 1. */
export interface TextPlace {
  line: number;
  column: number;
}

/** Whose settings are being edited, and what the person can do if we refuse. */
export interface EditContext {
  client: AgentClient;
  hint: string;
}

/** The settings of a client do not parse, or contain something we cannot edit without guessing. */
export class ClientSettingsError extends HoldfastError<'CLIENT_SETTINGS_UNREADABLE'> {
  readonly code = 'CLIENT_SETTINGS_UNREADABLE';
  readonly client: ClientName;
  readonly line: number;
  readonly column: number;

  constructor(context: EditContext, reason: string, { line, column }: TextPlace) {
    super(
      `The settings of ${context.client.title} were left unchanged: ${reason} (line ${line}, column ${column})`,
      {
        hint: context.hint,
      },
    );
    this.client = context.client.name;
    this.line = line;
    this.column = column;
  }

  /** The same error, naming the file: the code that edits text does not know where the text came from. */
  inFile(path: string): this {
    this.message = `${path}: ${this.message}`;
    return this;
  }
}

/** The line and column of an offset. */
export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

/** The result of `read`, or undefined if it refuses the settings. */
export function unlessRefused<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ClientSettingsError) return undefined;
    throw error;
  }
}
