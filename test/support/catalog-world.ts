import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openConversations, openLoops, type Services } from '../../src/app/index.js';
import { openCatalog } from '../../src/app/sessions/open-catalog.js';
import { openChanges } from '../../src/app/sessions/open-changes.js';
import type { Catalog } from '../../src/catalog/index.js';
import type { ConversationSessions } from '../../src/sessions/conversation/index.js';
import { FileProcessStore } from '../../src/sessions/process/index.js';
import { type AppWorld, appWorld } from './app-world.js';
import { writeChange } from './change-scenarios.js';
import { FakeClock } from './fake-clock.js';
import { PLAN } from './loop-world.js';
import { firstOptions, question } from './question-world.js';

/** A home with sessions of every kind over real files, and a clock that the test moves. */
export interface CatalogWorld extends AsyncDisposable {
  readonly app: AppWorld;
  readonly clock: FakeClock;
  readonly services: Services;
  readonly catalog: Catalog;
  readonly conversations: ConversationSessions;
  readonly processStore: FileProcessStore;
  /** Asks, and answers if wanted; returns the id. */
  ask(options?: { isAnswered?: boolean; prompt?: string }): Promise<string>;
  /** A conversation with one exchange and no owner; returns the id. */
  talk(id: string, options?: { agent?: string; isHidden?: boolean }): Promise<string>;
  /** The record of a process session without an owner; returns the id. */
  launch(id?: string, state?: 'ready' | 'ended'): Promise<string>;
  /** A loop without an owner; returns the id. */
  loop(): Promise<string>;
  /** A session that holds the change, or did. */
  change(id: string, options?: { isFlushed?: boolean; learning?: string }): Promise<string>;
}

export const PROCESS_ID = 'ses_11111111-1111-4111-8111-111111111111';

export async function catalogWorld(): Promise<CatalogWorld> {
  const app = await appWorld();
  const clock = new FakeClock({ autoAdvance: true });
  const services = app.services({ clock });
  const { layout } = services.config;
  const processStore = new FileProcessStore(services.tools, {
    directory: layout.processes,
    trash: layout.processTrash,
  });
  const conversations = openConversations(services);
  writeChange(app.project);
  mkdirSync(join(app.project, 'docs', 'prps'), { recursive: true });
  writeFileSync(join(app.project, PLAN), '# Login\n');
  return {
    app,
    clock,
    services,
    catalog: openCatalog(services),
    conversations,
    processStore,
    async ask({ isAnswered = false, prompt = 'Which database?' } = {}) {
      const asked = [question({ prompt })];
      const { id } = await services.questions.create(asked, { asker: { agent: 'asker' } });
      if (!isAnswered) return id;
      await services.questions.answer(id, firstOptions(asked));
      using delivery = await services.questions.collect(id);
      delivery.confirm();
      return id;
    },
    async talk(id, { agent = 'qa', isHidden = false } = {}) {
      using conversation = await conversations.create({ id, agent, isHidden });
      conversation.addUserTurn('hello');
      conversation.addAssistantTurn('hello yourself');
      conversation.setStatus('completed');
      return id;
    },
    async launch(id = PROCESS_ID, state = 'ready') {
      const now = clock.now().toISOString();
      const owned = await processStore.create({
        version: 1,
        id,
        state,
        agent: 'player',
        createdAt: now,
        lastActivity: now,
        promptCount: 2,
        totalExecutionMs: 0,
        contextUsage: 0,
        launch: {
          driver: 'claude',
          command: 'claude',
          args: [],
          workingDirectory: app.project,
          env: [],
          permissions: 'edits',
          model: null,
          mcpServers: [],
        },
        resume: { driver: 'claude', id: 'theirs' },
        prompt: null,
        ended: null,
      });
      owned[Symbol.dispose]();
      return id;
    },
    async loop() {
      using loop = await openLoops(services).create(PLAN);
      return loop.state.sessionId;
    },
    async change(id, { isFlushed = false, learning } = {}) {
      const changes = openChanges(services);
      await changes.create('add-login', { sessionId: id });
      if (learning !== undefined) await changes.learn(learning, { sessionId: id });
      if (isFlushed) await changes.flush({ sessionId: id });
      return id;
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}
