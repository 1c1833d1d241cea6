import { HoldfastError, messageOf, visibleExcerpt } from '../foundation/index.js';

/** A program that could not be started: not found, not executable, or no room for another process. */
export class ProgramNotStartedError extends HoldfastError<'PROGRAM_NOT_STARTED'> {
  readonly code = 'PROGRAM_NOT_STARTED';
  readonly command: string;

  constructor(command: string, cause: unknown) {
    const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    super(
      `Could not start ${visibleExcerpt(command, 120)}: ${isMissing ? 'there is no such program' : messageOf(cause)}`,
      {
        cause,
        hint: isMissing
          ? 'Install it, or give its full path; `holdfast agents` shows what was found.'
          : 'Check that the file may be executed and that the working directory exists.',
      },
    );
    this.command = command;
  }
}

/** A program that has stopped reading its standard input. */
export class ProgramInputClosedError extends HoldfastError<'PROGRAM_INPUT_CLOSED'> {
  readonly code = 'PROGRAM_INPUT_CLOSED';

  constructor(command: string, cause?: unknown) {
    super(`${visibleExcerpt(command, 120)} no longer reads its input`, { cause });
  }
}
