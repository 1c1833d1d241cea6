/**
 * A separate process that works on question sessions on command (see `question-workers.ts`). It can be told to kill
 * itself at one call of its file system.
 */
import { retain } from '../../src/catalog/index.js';
import { isHoldfastError, silentLogger, systemClock, systemIds } from '../../src/foundation/index.js';
import { FileQuestionStore, QuestionSessions } from '../../src/sessions/question/index.js';
import { DirectoryWatcher, nodeFileSystem, ownIdentity } from '../../src/storage/index.js';
import { deadlyFileSystem } from './deadly-file-system.js';
import type { Told, WorkerOrder, WorkerPlace } from './question-workers.js';
import { SeededRandom } from './seeded-random.js';

function open(place: WorkerPlace) {
  const { fileSystem, count } = deadlyFileSystem(place.kill);
  const tools = {
    fileSystem,
    ids: systemIds,
    clock: systemClock,
    log: silentLogger,
    watcher: new DirectoryWatcher({ fileSystem, ids: systemIds, log: silentLogger }),
    identity: ownIdentity(nodeFileSystem),
    command: 'question worker',
  };
  const store = new FileQuestionStore(tools, { directory: place.directory, trash: place.trash });
  const sessions = new QuestionSessions({
    ...tools,
    store,
    limits: { maxQuestions: 10, maxOptions: 10 },
    maxSessions: place.maxSessions ?? 100_000,
    retentionMs: place.retentionMs ?? 7 * 24 * 60 * 60 * 1_000,
    timeoutMs: 0,
  });
  return { sessions, store, count };
}

async function perform(order: WorkerOrder): Promise<unknown> {
  const { sessions, store, count } = open(order.place);
  while (order.startAt !== undefined && Date.now() < order.startAt);
  const { act } = order;
  switch (act.name) {
    case 'create':
      return (await sessions.create(act.questions, act.options)).id;
    case 'answer':
      return (await sessions.answer(act.id, act.answers)).outcome;
    case 'reject':
      return (await sessions.reject(act.id, act.reason)).outcome;
    case 'cancel':
      return (await sessions.cancel(act.id, 'withdrawn')).outcome;
    case 'expire':
      return sessions.expire(act.id);
    case 'note asker':
      return sessions.noteAsker(act.id, 'gone');
    case 'wait':
      return sessions.wait(act.id, { patienceMs: act.patienceMs });
    case 'collect': {
      using delivery = await sessions.collect(act.id);
      await tell({ kind: 'delivered', outcome: delivery.outcome, isNew: delivery.isNew });
      delivery.confirm();
      return { outcome: delivery.outcome, isNew: delivery.isNew };
    }
    case 'clean':
      return retain(
        sessions,
        { clock: systemClock, log: silentLogger },
        { olderThanMs: act.olderThanMs, takesUncollected: true },
      );
    case 'churn':
      return churn(sessions, act);
    case 'inspect': {
      const views = await sessions.list();
      return {
        views,
        ids: store.ids(),
        trash: store.trash.entries().map((entry) => entry.id),
        calls: count(),
      };
    }
  }
}

const CHURNED = [{ prompt: 'Go?', title: 'Go', options: [{ label: 'Yes' }, { label: 'No' }] }];

/** Asks, answers, rejects and collects endlessly, reporting each deed before and after it. */
async function churn(
  sessions: QuestionSessions,
  { seed, ids }: Extract<WorkerOrder['act'], { name: 'churn' }>,
): Promise<never> {
  const random = new SeededRandom(seed);
  const open = [...ids];
  for (;;) {
    const chance = random.next();
    if (open.length === 0 || chance < 0.3) {
      const { id } = await sessions.create(CHURNED);
      open.push(id);
      await tell({ kind: 'deed', id, deed: 'created' });
      continue;
    }
    const id = random.pick(open);
    const text = `${seed}-${random.below(1_000_000)}`;
    const isAnswer = chance < 0.8;
    await tell({ kind: 'deed', id, deed: isAnswer ? 'answering' : 'rejecting', text });
    if (isAnswer) await sessions.answer(id, [{ questionIndex: 0, customText: text }]);
    else await sessions.reject(id, text);
    await tell({ kind: 'deed', id, deed: isAnswer ? 'answered' : 'rejected', text });
    open.splice(open.indexOf(id), 1);
    if (random.chance(0.5)) continue;
    using delivery = await sessions.collect(id);
    delivery.confirm();
  }
}

function tell(message: Told): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

process.on('message', (order: WorkerOrder) => {
  perform(order).then(
    (value) => tell({ kind: 'done', value }),
    (error: unknown) =>
      tell({
        kind: 'failed',
        code: isHoldfastError(error) ? error.code : 'NOT OURS',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
        outcome: error instanceof Error && 'outcome' in error ? error.outcome : undefined,
      }),
  );
});
process.on('disconnect', () => process.exit(0));
void tell({ kind: 'ready' });
