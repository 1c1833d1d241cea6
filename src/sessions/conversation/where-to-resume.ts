import { redact, visibleLine } from '../../foundation/index.js';
import { type FileSystem, gitCommonDirectory, type LockTools, realPath } from '../../storage/index.js';
import type { Conversation } from './conversation.js';
import { ConversationElsewhereError } from './errors.js';

/** Where a person wants to resume a conversation, and with which command. */
interface Here {
  readonly tools: Pick<LockTools, 'fileSystem' | 'command'>;
  readonly workingDirectory: string;
}

/**
 * Checks that a conversation may be resumed in the working directory; returns what to say about it. From now on it
 * belongs here if it belonged nowhere or is moved here. Throws CONVERSATION_ELSEWHERE.
 */
export function placeConversation(
  here: Here,
  { id, view }: Conversation,
  options: { readonly isHere: boolean },
): { readonly workingDirectory: string; readonly notes: readonly string[] } {
  const { tools, workingDirectory } = here;
  const { fileSystem } = tools;
  const { workingDirectory: place } = view;
  if (place === null)
    return {
      workingDirectory,
      notes: ['This conversation had no directory; it belongs to this one from now on.'],
    };
  if (options.isHere) {
    const isMoved = !isSameDirectory(fileSystem, place, workingDirectory);
    return {
      workingDirectory,
      notes: isMoved ? [`Moved here from ${visibleLine(place)}.`] : [],
    };
  }
  if (!isSameProject(here, place)) {
    const isThere = realPath(fileSystem, place) !== undefined;
    throw new ConversationElsewhereError(id, place, { command: tools.command, isThere });
  }
  const isSame = isSameDirectory(fileSystem, place, workingDirectory);
  return {
    workingDirectory: place,
    notes: isSame ? [] : [`Begun in ${visibleLine(place)} (same project); the agent works there.`],
  };
}

/** Whether a noted directory belongs to the project of the working directory. */
export function isSameProject({ tools, workingDirectory }: Here, place: string | null): boolean {
  const { fileSystem } = tools;
  if (place === null) return false;
  if (isSameDirectory(fileSystem, place, workingDirectory)) return true;
  const there = gitCommonDirectory(fileSystem, place);
  return there !== undefined && there === gitCommonDirectory(fileSystem, workingDirectory);
}

/** Compares directories. One whose name looks like a secret was noted in redacted form. */
function isSameDirectory(fileSystem: FileSystem, noted: string, directory: string): boolean {
  if (noted === directory || noted === redact(directory)) return true;
  const there = realPath(fileSystem, noted);
  return there !== undefined && there === realPath(fileSystem, directory);
}
