import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChanges } from '../../src/app/sessions/open-changes.js';
import { findProject } from '../../src/plans/index.js';
import { ChangeStore } from '../../src/sessions/change/store.js';
import { ConversationSessions, FileConversationStore } from '../../src/sessions/conversation/index.js';
import { LoopSessions } from '../../src/sessions/loop/index.js';
import { FileProcessStore } from '../../src/sessions/process/index.js';
import { FileQuestionStore } from '../../src/sessions/question/index.js';
import type { LockTools } from '../../src/storage/index.js';
import { type CatalogWorld, PROCESS_ID } from '../support/catalog-world.js';
import { firstOptions, question } from '../support/question-world.js';
import { describeSessionKind, type HeldInTest } from './session-kind.js';

describeSessionKind({
  kind: 'question',
  create: (world) => world.ask(),
  async hold(world, id, tools) {
    const held = await questionStore(world, tools).hold(id);
    const { status } = held.snapshot;
    return heldBy(held, () => {
      if (status === undefined) throw new Error('there is no status');
      held.writeStatus({ ...status, lastModified: world.clock.now().toISOString() });
    });
  },
  file: (world, id) => join(questionStore(world).directory, id, 'status.json'),
  lockPath: (world, id) => questionStore(world).lockPath(id),
  addUnknown: addKey,
  makeNewer: raiseVersion,
  async retirable({ services }, id) {
    await services.questions.answer(id, firstOptions([question()]));
    using delivery = await services.questions.collect(id);
    delivery.confirm();
  },
  mends: true,
  refusesWith: 'LOCKED',
});

describeSessionKind({
  kind: 'conversation',
  create: (world) => world.talk('my-talk'),
  async hold(world, id, tools) {
    const store = conversationStore(world, tools);
    const held = await new ConversationSessions({ ...tools, store }).hold(id);
    return heldBy(held, () => held.addUserTurn('one more'));
  },
  file: (world, id) => conversationStore(world).path(id),
  lockPath: (world, id) => conversationStore(world).lockPath(id),
  addUnknown(path) {
    // Continues the file as another program would: no number, no checksum, and a key of its own.
    const turn = { type: 'turn', role: 'user', content: 'hi', timestamp: '2026-03-01T12:00:00', ...UNKNOWN };
    const line = JSON.stringify(turn);
    writeFileSync(path, `${readFileSync(path, 'utf8')}${line}\n`);
    return line;
  },
  makeNewer(path) {
    const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n');
    const { seq: _seq, crc: _crc, ...metadata } = JSON.parse(first);
    writeFileSync(path, [JSON.stringify({ ...metadata, version: 99 }), ...rest].join('\n'));
  },
  retirable: async () => {},
  mends: { never: 'none of its records is intact' },
  refusesWith: 'LOCKED',
});

describeSessionKind({
  kind: 'loop',
  create: (world) => world.loop(),
  async hold({ services }, _id, tools) {
    const held = await new LoopSessions({ ...tools, directory: services.config.layout.loop }).hold();
    return heldBy(held, () => held.guide('take care'));
  },
  file: ({ services }) => join(services.config.layout.loop, 'loop-state.json'),
  lockPath: ({ services }) => join(services.config.layout.loop, 'loop'),
  addUnknown: addKey,
  makeNewer: raiseVersion,
  retirable: { never: 'what was not finished may be wanted after any time' },
  mends: { never: 'its documents belong together, so it is begun afresh' },
  refusesWith: 'LOCKED',
});

describeSessionKind({
  kind: 'change',
  create: (world) => world.change('worker'),
  async hold(world, _id, tools) {
    const held = await new ChangeStore(tools).hold(projectOf(world), 'add-login');
    return heldBy(held, () => {
      const state = held.read();
      if (state === undefined) throw new Error('nobody holds the change');
      held.write({ ...state, updatedAt: world.clock.now().toISOString() });
    });
  },
  file: (world) => join(projectOf(world).directory, '.holdfast', 'changes', 'add-login', 'session.json'),
  lockPath: (world) => new ChangeStore(world.services.tools).lockPath(projectOf(world), 'add-login'),
  addUnknown: addKey,
  makeNewer: raiseVersion,
  retirable: flush,
  // It holds its change: until it is flushed or released, it cannot be removed.
  end: flush,
  mends: true,
  refusesWith: 'CHANGE_LOCKED',
});

describeSessionKind({
  kind: 'process',
  create: (world) => world.launch(),
  async hold(world, id, tools) {
    const store = processStore(world, tools);
    const held = await store.hold(id);
    return heldBy(held, () => {
      const record = store.read(id);
      held.write({ ...record, agent: `${record.agent}+` });
    });
  },
  file: (world) => join(world.processStore.directory, PROCESS_ID, 'session.json'),
  lockPath: (world, id) => world.processStore.lockPath(id),
  addUnknown: addKey,
  makeNewer: raiseVersion,
  retirable: async () => {},
  mends: { never: 'there is only this record of it' },
  refusesWith: 'LOCKED',
});

function heldBy(held: Disposable, commit: () => unknown): HeldInTest {
  return { commit, [Symbol.dispose]: () => held[Symbol.dispose]() };
}

const UNKNOWN = { from_another_program: { deep: [1, 'two'] } };

function addKey(path: string): string {
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...UNKNOWN }, null, 2));
  return 'from_another_program';
}

function raiseVersion(path: string): void {
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), version: 99 }, null, 2));
}

function questionStore({ services }: CatalogWorld, tools: LockTools = services.tools): FileQuestionStore {
  const { questions: directory, questionTrash: trash } = services.config.layout;
  return new FileQuestionStore(tools, { directory, trash });
}

function conversationStore({ services }: CatalogWorld, tools: LockTools = services.tools) {
  return new FileConversationStore(tools, { directory: services.config.layout.conversations });
}

function processStore({ services }: CatalogWorld, tools: LockTools): FileProcessStore {
  const { processes: directory, processTrash: trash } = services.config.layout;
  return new FileProcessStore(tools, { directory, trash });
}

function projectOf({ app, services }: CatalogWorld) {
  return findProject(services.tools.fileSystem, app.project);
}

async function flush({ services }: CatalogWorld, sessionId: string): Promise<void> {
  await openChanges(services).flush({ sessionId });
}
