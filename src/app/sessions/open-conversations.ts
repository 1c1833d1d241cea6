import { join, resolve } from 'node:path';
import type { AgentDefinition, PriceOf } from '../../agents/index.js';
import { retainDaily } from '../../catalog/index.js';
import { DAY_MS } from '../../foundation/index.js';
import { type Continuation, TurnTaker } from '../../run/turn/take-turn.js';
import {
  type Conversation,
  ConversationSessions,
  FileConversationStore,
} from '../../sessions/conversation/index.js';
import { createFile, replaceUserFile } from '../../storage/index.js';
import type { ContentMemory } from '../../workspace/index.js';
import { type LibraryOptions, libraryServices } from '../library-services.js';
import { builtOnce, type Services } from '../services.js';
import { interactiveSettings } from '../settings/aurora-config.js';
import { type LaunchOptions, launchOf, openProcesses } from './open-processes.js';
import { remembering } from './remembering.js';

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

/** The store of this user's conversations, built once. */
export function conversationStore({ tools, config }: Services): FileConversationStore {
  const { conversations: directory } = config.layout;
  return builtOnce(tools, 'conversation store', () => new FileConversationStore(tools, { directory }));
}

export interface OpenConversationsOptions extends LibraryOptions {
  /** Keeps what is said unredacted, secrets included. */
  readonly isRaw?: boolean | undefined;
}

/** Opens the conversations that `holdfast chat` keeps. Throws CONFIG_INVALID. */
export function createConversationSessions(options: OpenConversationsOptions = {}): ConversationSessions {
  return openConversations(libraryServices(options), { isRaw: options.isRaw === true });
}

/** Whether the user wants what is said in this project kept unredacted. */
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
    /** Prices exchanges whose cost the agent does not report. */
    readonly priceOf?: PriceOf;
    /** Whether to measure what each exchange changes in the working directory. Default: no. */
    readonly isMeasured?: boolean;
    /** Shared by many exchanges in one working directory. */
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

/** Creates a file that the user named, readable only by them; false if it exists already. Throws ATOMIC_WRITE_FAILED. */
export function createTextFile(services: Services, path: string, text: string): boolean {
  return createFile(services.tools, resolve(services.workingDirectory, path), text);
}

/** What automatic cleaning did. */
export interface AutomaticCleaning {
  /** Moved to the trash. */
  readonly retired: readonly string[];
  readonly expiryDays: number;
  /** Whether nothing is left for next time. */
  readonly isComplete: boolean;
}

/** Cleans conversations older than the configured age, if there is one; see `retainDaily`. Never throws. */
export async function cleanAutomatically(
  services: Services,
  { except }: { readonly except?: readonly string[] } = {},
): Promise<AutomaticCleaning | undefined> {
  const { expiryDays } = interactiveSettings(services);
  if (expiryDays === undefined) return undefined;
  const olderThanMs = expiryDays * DAY_MS;
  const notes = services.config.roots.state;
  const cleaned = await retainDaily(openConversations(services), services.tools, {
    olderThanMs,
    except,
    notes,
  });
  return cleaned && { ...cleaned, expiryDays };
}
