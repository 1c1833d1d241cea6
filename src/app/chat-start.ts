import { PERMISSION_MODES, type PermissionMode } from '../agents/index.js';
import { HoldfastError, isHoldfastError, redact, shellWord, visibleLine } from '../foundation/index.js';
import type { Conversation } from '../sessions/conversation/index.js';
import { type FileSystem, gitCommonDirectory, realPath } from '../storage/index.js';
import { openProcesses } from './processes.js';
import type { Services } from './services.js';

/** A conversation of another project was to be gone on with here. */
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

/** How a conversation is begun or gone on with, as far as somebody said. */
export interface ChatWishes {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly permissions?: PermissionMode | undefined;
  /** Whether a conversation of another project is to be moved here. */
  readonly isHere?: boolean | undefined;
}

/** How the agent is started, and what a person should know about it. */
export interface ChatStart {
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly permissions: PermissionMode;
  readonly notes: readonly string[];
}

/**
 * How a conversation goes on: as it was started, except for what is said now. The model belongs to its agent; that somebody
 * waived all questions for a permission counts only when it is said again.
 */
export function chatStart(
  services: Services,
  wishes: ChatWishes,
  resumed: Conversation | undefined,
): ChatStart {
  const before = resumed === undefined ? undefined : lastLaunch(services, resumed);
  const agent = wishes.agent ?? before?.agent ?? resumed?.metadata.agent;
  const isBypassDropped = before?.permissions === 'bypass' && wishes.permissions === undefined;
  const permissions = wishes.permissions ?? (isBypassDropped ? 'edits' : before?.permissions) ?? 'edits';
  const model = wishes.model ?? (agent === before?.agent ? (before?.model ?? undefined) : undefined);
  return {
    agent,
    model,
    permissions,
    notes: isBypassDropped
      ? ['--permissions bypass is not reused: this continues with edits. Type it again if you want it.']
      : [],
  };
}

interface KnownLaunch {
  readonly agent: string;
  readonly model: string | null;
  readonly permissions: PermissionMode | undefined;
}

/** As noted in the conversation; one of release 0.1 has it only in the record of its process, while there is one. */
function lastLaunch(services: Services, { view, metadata }: Conversation): KnownLaunch | undefined {
  const { launch, agentHandle } = view;
  if (launch !== null) return { ...launch, permissions: modeNamed(launch.permissions) };
  if (agentHandle?.processId == null) return undefined;
  try {
    const { model, permissions } = openProcesses(services).get(agentHandle.processId).launch;
    return { agent: metadata.agent, model, permissions: modeNamed(permissions) };
  } catch (error) {
    if (isHoldfastError(error)) return undefined; // it was cleaned, or cannot be read: then it starts as usual
    throw error;
  }
}

function modeNamed(text: string): PermissionMode | undefined {
  return PERMISSION_MODES.find((mode) => mode === text);
}

/**
 * Checks that a conversation may go on in the working directory; returns what to say about it. It belongs here from now on if
 * it belonged nowhere, or is moved here. Throws CONVERSATION_ELSEWHERE.
 */
export function placeConversation(
  services: Services,
  { id, view }: Conversation,
  options: { readonly isHere: boolean },
): { readonly workingDirectory: string; readonly notes: readonly string[] } {
  const { workingDirectory: here, tools } = services;
  const { workingDirectory: place } = view;
  if (place === null)
    return {
      workingDirectory: here,
      notes: ['No directory was noted for this conversation: it belongs to this one from now on.'],
    };
  if (options.isHere) {
    const isMoved = !isSameDirectory(tools.fileSystem, place, here);
    return {
      workingDirectory: here,
      notes: isMoved ? [`Moved here from ${visibleLine(place)}.`] : [],
    };
  }
  if (!isSameProject(services, place)) {
    const isThere = realPath(tools.fileSystem, place) !== undefined;
    throw new ConversationElsewhereError(id, place, { command: tools.command, isThere });
  }
  const isSame = isSameDirectory(tools.fileSystem, place, here);
  return {
    workingDirectory: place,
    notes: isSame ? [] : [`Begun in ${visibleLine(place)}, the same project; the agent works here.`],
  };
}

/** Whether a noted directory belongs to the project of the working directory. */
export function isSameProject({ workingDirectory, tools }: Services, place: string | null): boolean {
  const { fileSystem } = tools;
  if (place === null) return false;
  if (isSameDirectory(fileSystem, place, workingDirectory)) return true;
  const there = gitCommonDirectory(fileSystem, place);
  return there !== undefined && there === gitCommonDirectory(fileSystem, workingDirectory);
}

/** A directory whose name looks like a secret was noted without it. */
function isSameDirectory(fileSystem: FileSystem, noted: string, directory: string): boolean {
  if (noted === directory || noted === redact(directory)) return true;
  const there = realPath(fileSystem, noted);
  return there !== undefined && there === realPath(fileSystem, directory);
}
