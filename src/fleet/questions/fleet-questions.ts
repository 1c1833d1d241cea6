import { join } from 'node:path';
import { type Actor, isHoldfastError, isUuidV4, timestamp } from '../../foundation/index.js';
import {
  type Draft,
  DraftFile,
  type GivenAnswers,
  InvalidSessionIdError,
  NotTakenBackError,
  type QuestionDesk,
  type QuestionSessions,
  type QuestionView,
} from '../../sessions/question/index.js';
import {
  ensureDirectory,
  type LockTools,
  readDocument,
  removeQuietly,
  writeDocument,
} from '../../storage/index.js';
import type { RemoteQuestions } from './remote-questions.js';

export interface FleetQuestionsOptions {
  readonly local: QuestionSessions;
  readonly remote: RemoteQuestions;
  readonly tools: LockTools;
  /** Where this machine keeps what belongs to the fleet. */
  readonly directory: string;
}

/**
 * The questions of all machines with the verbs of one: sets of this machine are read and decided here, the rest at
 * their homes.
 */
export class FleetQuestions implements QuestionDesk {
  readonly #options: FleetQuestionsOptions;

  constructor(options: FleetQuestionsOptions) {
    this.#options = options;
  }

  as(actor: Actor): FleetQuestions {
    return new FleetQuestions({ ...this.#options, local: this.#options.local.as(actor) });
  }

  /** What could not be read from the other machines just now. */
  get trouble(): string | undefined {
    return this.#options.remote.trouble?.reason;
  }

  async listLive(options: { readonly isAll?: boolean } = {}): Promise<QuestionView[]> {
    const { local, remote } = this.#options;
    const [here, elsewhere] = await Promise.all([local.listLive(), remote.list(options)]);
    const own = new Set(here.map(({ id }) => id));
    const others = elsewhere.filter(({ id }) => !own.has(id));
    return [...here, ...others].sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  }

  get(id: string): Promise<QuestionView> {
    const { local, remote } = this.#options;
    return local.has(id) ? local.get(id) : remote.get(id);
  }

  /** This machine's sets come first: they need no hub. */
  async resolve(prefix: string): Promise<string> {
    const { local, remote } = this.#options;
    try {
      const id = local.resolve(prefix);
      if (!isUuidV4(prefix) || local.has(id)) return id;
    } catch (error) {
      if (!isHoldfastError(error, 'SESSION_NOT_FOUND')) throw error;
    }
    return (await remote.resolve(prefix)) ?? local.resolve(prefix);
  }

  answer(id: string, answers: GivenAnswers): Promise<QuestionView> {
    const { local, remote } = this.#options;
    return local.has(id) ? local.answer(id, answers) : remote.answer(id, answers);
  }

  reject(id: string, reason: string | null = null): Promise<QuestionView> {
    const { local, remote } = this.#options;
    return local.has(id) ? local.reject(id, reason) : remote.reject(id, reason);
  }

  /** Throws SESSION_NOT_FOUND, NOT_TAKEN_BACK, and as the hub. */
  async takeBack(id: string): Promise<QuestionView> {
    const { local, remote } = this.#options;
    if (local.has(id)) throw new NotTakenBackError(id, 'it is kept on this machine');
    return remote.takeBack(id);
  }

  watch(onHint: (id: string | null) => void): { close(): void } {
    const watches = [this.#options.local.watch(onHint), this.#options.remote.watch(() => onHint(null))];
    return {
      close() {
        for (const watch of watches) watch.close();
      },
    };
  }

  readDraft(id: string): Draft | undefined {
    const { local, tools } = this.#options;
    if (local.has(id)) return local.readDraft(id);
    return readDocument(tools.fileSystem, this.#draftOf(id), DraftFile);
  }

  /** Drafts for other machines' sets are kept here: they are nobody else's business. */
  saveDraft(id: string, draft: Draft): void {
    const { local, tools, directory } = this.#options;
    if (local.has(id)) {
      local.saveDraft(id, draft);
      return;
    }
    const { questionIndex, answers, rejectionReason } = draft;
    const content = { questionIndex, answers: [...answers], rejectionReason };
    const path = this.#draftOf(id);
    ensureDirectory(tools.fileSystem, join(directory, 'drafts'));
    writeDocument(
      tools,
      path,
      { version: 1, sessionId: id, lastModified: timestamp(tools.clock), ...content },
      DraftFile,
    );
  }

  discardDraft(id: string): void {
    const { local, tools } = this.#options;
    if (local.has(id)) local.discardDraft(id);
    else removeQuietly(tools.fileSystem, this.#draftOf(id));
  }

  /** Only ids become paths. */
  #draftOf(id: string): string {
    if (!isUuidV4(id)) throw new InvalidSessionIdError(id);
    return join(this.#options.directory, 'drafts', `${id.toLowerCase()}.json`);
  }
}
