import { join } from 'node:path';
import { DAY_MS, isUuidV4, messageOf, timestamp, uuidFrom, visibleExcerpt } from '../foundation/index.js';
import {
  createFile,
  DOCUMENT_VERSION,
  ensureDirectory,
  formatDocument,
  Lock,
  type LockTools,
  listDirectory,
  readDocument,
  removeQuietly,
  replaceQuick,
  tryAcquireLock,
  writeDocument,
} from '../storage/index.js';
import { allowedText } from './allowed-text.js';
import { type NoticeEvent, projectOf } from './events.js';
import { NoticeRecord, SeenRecord } from './schema.js';
import type { ChannelSettings } from './settings.js';

/** Ended notices are kept this long, and at most this many. */
const KEPT_MS = 30 * DAY_MS;
const MAX_KEPT = 1_000;

const MAX_NAME = 60;

const RECORD = /^([0-9a-f-]{36})\.json$/;
const SEEN = /^([0-9a-f-]{36})\.seen$/;

export interface ListedNotices {
  readonly notices: readonly NoticeRecord[];
  /** Files that cannot be read. They stay, so their events are not told again. */
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * The notices of this user: one file for each event and channel, created exclusively. So the first process that sees an
 * event queues it, and the others find it queued. Only the process that holds the duty of a channel changes its files.
 */
export class NoticeStore {
  readonly #tools: LockTools;
  readonly #directory: string;
  /** Files that will never change again and are not read twice. */
  readonly #ended = new Map<string, NoticeRecord>();

  constructor(tools: LockTools, directory: string) {
    this.#tools = tools;
    this.#directory = directory;
  }

  /** Queues an event for a channel; false if it is already known. Throws STORAGE_FAILED, ATOMIC_WRITE_FAILED. */
  queue(event: NoticeEvent, channel: string, settings: ChannelSettings): boolean {
    const id = uuidFrom('notice', event.key, channel);
    const path = this.#path(id);
    // Most events are checked often and queued once.
    if (this.#tools.fileSystem.look(path) !== undefined) return false;
    const now = this.#tools.clock.now();
    const { key, kind, at, question, machine, directory, agent, shortId, detail } = event;
    const notice: NoticeRecord = {
      version: DOCUMENT_VERSION,
      id,
      event: key,
      kind,
      channel,
      state: 'queued',
      at,
      queuedAt: now.toISOString(),
      dueAt: new Date(now.getTime() + (settings.afterMinutes ?? 0) * 60_000).toISOString(),
      question,
      ...(machine === undefined ? {} : { machine: visibleExcerpt(machine, MAX_NAME) }),
      project: nameOf(projectOf(directory)),
      agent: nameOf(agent),
      shortId,
      detail,
      text: allowedText(event, settings),
      tries: 0,
      message: null,
      reason: null,
    };
    ensureDirectory(this.#tools.fileSystem, this.#directory);
    return createFile(this.#tools, path, formatDocument(path, notice, NoticeRecord));
  }

  /** All notices, oldest first. */
  list(): ListedNotices {
    const damaged: { path: string; reason: string }[] = [];
    const notices: NoticeRecord[] = [];
    for (const name of listDirectory(this.#tools.fileSystem, this.#directory)) {
      if (!RECORD.test(name)) continue;
      try {
        const notice = this.#ended.get(name) ?? this.#read(name);
        if (notice !== undefined) notices.push(notice);
      } catch (error) {
        damaged.push({ path: join(this.#directory, name), reason: messageOf(error) });
      }
    }
    notices.sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1));
    return { notices, damaged };
  }

  #read(name: string): NoticeRecord | undefined {
    const notice = readDocument(this.#tools.fileSystem, join(this.#directory, name), NoticeRecord);
    if (notice !== undefined && isEnded(notice)) this.#ended.set(name, notice);
    return notice;
  }

  /** Takes the duty of a channel: only its holder sends and records the outcome. Undefined if another process has it. */
  takeDuty(channel: string): Lock | undefined {
    ensureDirectory(this.#tools.fileSystem, this.#directory);
    const taken = tryAcquireLock(this.#tools, join(this.#directory, channel));
    return taken instanceof Lock ? taken : undefined;
  }

  /** Writes a notice under the duty of its channel. Throws LOCK_LOST, ATOMIC_WRITE_FAILED. */
  write(duty: Lock, notice: NoticeRecord): void {
    duty.assertHeld();
    writeDocument(this.#tools, this.#path(notice.id), notice, NoticeRecord);
  }

  /** Records that the card of a question is on a screen that a person looks at. */
  noteSeen(question: string): void {
    if (!isUuidV4(question)) return;
    ensureDirectory(this.#tools.fileSystem, this.#directory);
    const path = join(this.#directory, `${question}.seen`);
    const seen = { version: DOCUMENT_VERSION, at: timestamp(this.#tools.clock) };
    replaceQuick(this.#tools, path, formatDocument(path, seen, SeenRecord));
  }

  seenAt(question: string): Date | null {
    if (!isUuidV4(question)) return null;
    try {
      const path = join(this.#directory, `${question}.seen`);
      const seen = readDocument(this.#tools.fileSystem, path, SeenRecord);
      return seen === undefined ? null : new Date(seen.at);
    } catch {
      return null; // after power loss it may be empty, which counts as not seen
    }
  }

  /**
   * Removes notices that ended long ago and those beyond the number kept. One about a waiting question is never removed,
   * because it would be sent again. Returns how many were removed.
   */
  tidy(isPending: (question: string) => boolean): number {
    const { fileSystem, clock } = this.#tools;
    const keepFrom = clock.now().getTime() - KEPT_MS;
    const ended = this.list().notices.filter(
      (notice) => isOver(notice) && (notice.question === null || !isPending(notice.question)),
    );
    const surplus = ended.length - MAX_KEPT;
    const old = ended.filter(({ at }, index) => index < surplus || Date.parse(at) < keepFrom);
    for (const { id } of old) removeQuietly(fileSystem, this.#path(id));
    for (const name of listDirectory(fileSystem, this.#directory)) {
      const [, question] = SEEN.exec(name) ?? [];
      if (question !== undefined && !isPending(question))
        removeQuietly(fileSystem, join(this.#directory, name));
    }
    return old.length;
  }

  #path(id: string): string {
    return join(this.#directory, `${id}.json`);
  }
}

/** A name fit for every channel: visible, and no longer than names are. */
function nameOf(name: string | null): string | null {
  return name === null ? null : visibleExcerpt(name, MAX_NAME);
}

/** Whether a file will never change again. */
function isEnded({ state, question }: NoticeRecord): boolean {
  return state === 'failed' || state === 'answered' || (state === 'sent' && question === null);
}

function isOver({ state }: NoticeRecord): boolean {
  return state !== 'queued';
}
