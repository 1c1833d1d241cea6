import { join, resolve } from 'node:path';
import type { AgentDefinition, PriceOf } from '../agents/index.js';
import { messageOf } from '../foundation/index.js';
import { type Continuation, TurnTaker } from '../run/take-turn.js';
import {
  type Conversation,
  ConversationSessions,
  FileConversationStore,
} from '../sessions/conversation/index.js';
import {
  createFile,
  ensureDirectory,
  readFile,
  removeQuietly,
  replaceQuick,
  replaceUserFile,
} from '../storage/index.js';
import type { ContentMemory } from '../workspace/index.js';
import { interactiveSettings } from './aurora-config.js';
import { type LibraryOptions, libraryServices } from './library-services.js';
import { type LaunchOptions, launchOf, openProcesses } from './processes.js';
import { remembering } from './remembering.js';
import { builtOnce, type Services } from './services.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The conversations of this user. */
export function openConversations(
  services: Services,
  options: { readonly isRaw?: boolean } = {},
): ConversationSessions {
  const isRaw = options.isRaw === true || isRawProject(services);
  return builtOnce(services, isRaw ? 'raw conversations' : 'conversations', () => {
    const asIs = isRaw ? { redact: (text: string) => text } : {};
    const store = conversationStore(services);
    return new ConversationSessions({ ...services.tools, store, onStarted: remembering(services), ...asIs });
  });
}

/** The one store of this user's conversations. */
export function conversationStore({ tools, config }: Services): FileConversationStore {
  const { conversations: directory } = config.layout;
  return builtOnce(tools, 'conversation store', () => new FileConversationStore(tools, { directory }));
}

export interface OpenConversationsOptions extends LibraryOptions {
  /** Keeps what is said as it is, secrets included. */
  readonly isRaw?: boolean | undefined;
}

/** Opens the conversations that `holdfast chat` keeps. Throws CONFIG_INVALID. */
export function createConversationSessions(options: OpenConversationsOptions = {}): ConversationSessions {
  return openConversations(libraryServices(options), { isRaw: options.isRaw === true });
}

/** Whether the user wants what is said in this project kept as it is. */
function isRawProject({ config, workingDirectory }: Services): boolean {
  return config.get('conversation.rawProjects').some((project) => resolve(project) === workingDirectory);
}

/** An agent that answers in a conversation, each exchange recorded. */
export function turnTaker(
  services: Services,
  agent: AgentDefinition,
  conversation: Conversation,
  options: LaunchOptions & {
    readonly onContinuation?: (continuation: Continuation) => void;
    readonly acceptsChanges?: boolean;
    /** What is written down of exchanges whose cost the agent does not tell. */
    readonly priceOf?: PriceOf;
    /** Whether to look at what each exchange changes in the working directory; no otherwise. */
    readonly isMeasured?: boolean;
    /** For many exchanges in one working directory. */
    readonly memory?: ContentMemory;
  },
): TurnTaker {
  const { onContinuation, acceptsChanges, isMeasured = false, memory, priceOf, ...start } = options;
  return new TurnTaker({
    processes: openProcesses(services, { isMeasured, memory }),
    conversation,
    launch: launchOf(services, agent, start),
    log: services.log,
    maxTokens: interactiveSettings(services).maxTokens,
    acceptsChanges,
    priceOf,
    onContinuation,
  });
}

/** Where a conversation is. */
export function conversationPath(services: Services, id: string): string {
  return join(services.config.layout.conversations, `${id}.jsonl`);
}

/** Writes a file that the user named. Throws ATOMIC_WRITE_FAILED. */
export function writeTextFile(services: Services, path: string, text: string): void {
  replaceUserFile(services.tools, resolve(services.workingDirectory, path), text);
}

/** Makes a file that the user named, for their eyes only; false where there is one already. Throws ATOMIC_WRITE_FAILED. */
export function createTextFile(services: Services, path: string, text: string): boolean {
  return createFile(services.tools, resolve(services.workingDirectory, path), text);
}

const CLEANING_LIMIT_MS = 100;

/** What automatic cleaning did. */
export interface AutomaticCleaning {
  /** Moved to the trash. */
  readonly retired: readonly string[];
  readonly expiryDays: number;
  /** Whether nothing is left for the next time. */
  readonly isComplete: boolean;
}

/**
 * Cleans conversations that are older than the configured age, for a moment only: the next start goes on where this one ended, and
 * once nothing is left there is peace for a day. Never throws: it comes after the command's own work.
 */
export async function cleanAutomatically(
  services: Services,
  options: { readonly except?: readonly string[] } = {},
): Promise<AutomaticCleaning | undefined> {
  const { expiryDays } = interactiveSettings(services);
  if (expiryDays === undefined) return undefined;
  const { fileSystem, clock, log } = services.tools;
  const { state } = services.config.roots;
  const stamp = join(state, 'conversations-cleaned');
  const place = join(state, 'conversations-cleaning');
  try {
    const last = fileSystem.look(stamp)?.modifiedMs ?? 0;
    if (clock.now().getTime() - last < DAY_MS) return undefined;
    const { retired, isComplete, reached } = await openConversations(services).clean({
      olderThanMs: expiryDays * DAY_MS,
      limitMs: CLEANING_LIMIT_MS,
      after: readFile(fileSystem, place),
      except: options.except,
    });
    ensureDirectory(fileSystem, state);
    if (!isComplete) replaceQuick(services.tools, place, reached ?? '');
    else {
      removeQuietly(fileSystem, place);
      replaceQuick(services.tools, stamp, '');
    }
    return { retired, expiryDays, isComplete };
  } catch (error) {
    log.warn('conversation.not-cleaned', { error: messageOf(error) });
    return undefined;
  }
}
