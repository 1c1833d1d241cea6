import { HoldfastError, shellWord, visibleExcerpt } from '../../foundation/index.js';

/** The command that lists the known conversations. */
export const LISTED_BY = 'holdfast sessions list';

/** The id cannot name a conversation; no path was built from it. */
export class InvalidConversationIdError extends HoldfastError<'INVALID_CONVERSATION_ID'> {
  readonly code = 'INVALID_CONVERSATION_ID';

  constructor(id: unknown, reason: string) {
    const shown = typeof id === 'string' ? visibleExcerpt(id, 80) : `a ${typeof id}`;
    super(`Invalid session id: ${shown} ${reason}`, {
      hint: 'Use 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
    });
  }
}

/** A conversation with this name already exists; it is untouched. */
export class ConversationExistsError extends HoldfastError<'CONVERSATION_EXISTS'> {
  readonly code = 'CONVERSATION_EXISTS';

  constructor(id: string) {
    super(`Session ${id} already exists`, {
      hint: 'Resume it (`--resume`), or choose another id.',
    });
  }
}

/** An attempt to resume a conversation of another project here. */
export class ConversationElsewhereError extends HoldfastError<'CONVERSATION_ELSEWHERE'> {
  readonly code = 'CONVERSATION_ELSEWHERE';
  readonly directory: string;

  constructor(id: string, directory: string, words: { readonly command: string; readonly isThere: boolean }) {
    const resume = `${words.command} --resume ${id}`;
    const here = `${resume} --here`;
    super(`${id} belongs to ${directory}`, {
      hint: words.isThere
        ? `Go there: cd ${shellWord(directory)} && ${resume}\nOr move it to this directory: ${here}`
        : `That directory is gone. Move the conversation to this one: ${here}`,
    });
    this.directory = directory;
  }
}
