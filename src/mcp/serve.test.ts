import { describe, expect, it } from 'vitest';
import { type AppWorld, appWorld, speakTo } from '../../test/support/app-world.js';
import { FailingFileSystem } from '../../test/support/failing-file-system.js';
import { question } from '../../test/support/question-world.js';
import { verifies } from '../../test/support/verifies.js';
import type { Services } from '../app/index.js';
import { retain } from '../catalog/index.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import { MAX_MESSAGE_BYTES } from './transport.js';

const SET = [question()];
const SQLITE = [{ questionIndex: 0, selectedOption: 'SQLite' }];

/** Services whose question sessions a test watches or disturbs. */
function disturbed(services: Services, methods: Partial<QuestionSessions>): Services {
  const questions = new Proxy(services.questions, {
    get(target, name) {
      const own = methods[name as keyof QuestionSessions];
      if (own !== undefined) return own;
      const value = target[name as keyof QuestionSessions];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...services, questions };
}

async function answered(world: AppWorld): Promise<string> {
  const { questions } = world.services();
  const { id } = await questions.create(SET, { workingDirectory: world.project });
  await questions.answer(id, SQLITE);
  return id;
}

async function isNewNow(world: AppWorld, id: string): Promise<boolean> {
  using delivery = await world.services().questions.collect(id);
  return delivery.isNew;
}

function ticks(count: number): Promise<void> {
  return new Promise((resolve) => {
    const tick = (left: number) => (left === 0 ? resolve() : setImmediate(() => tick(left - 1)));
    tick(count);
  });
}

describe('a delivery through the server', () => {
  verifies('Q18', 'is marked once its response has been sent', async () => {
    await using world = await appWorld();
    const id = await answered(world);
    await using server = await speakTo(world.services());
    const { result } = await server.call('tools/call', {
      name: 'get_answered_questions',
      arguments: { session_id: id },
    });
    expect(result.structuredContent.sessions).toMatchObject([{ sessionId: id, isNew: true }]);
    await ticks(3);
    expect(await isNewNow(world, id)).toBe(false);
  });

  verifies(
    'Q18',
    'is neither marked nor kept locked when the client calls it off before it was sent',
    async () => {
      await using world = await appWorld();
      const id = await answered(world);
      const services = world.services();
      const disturbing = disturbed(services, {
        async collect(wanted) {
          const delivery = await services.questions.collect(wanted);
          server.notify('notifications/cancelled', { requestId: request.id });
          await ticks(5);
          return delivery;
        },
      });
      await using server = await speakTo(disturbing);
      const request = server.request('tools/call', {
        name: 'get_answered_questions',
        arguments: { session_id: id },
      });
      await server.call('ping');
      await ticks(20);
      expect(server.messages.filter((message) => message.id === request.id)).toEqual([]);
      expect(await isNewNow(world, id)).toBe(true);
    },
  );

  verifies('Q18', 'is not marked when an error took the place of its response', async () => {
    await using world = await appWorld();
    const [first, second] = [await answered(world), await answered(world)];
    const services = world.services();
    const disturbing = disturbed(services, {
      async collect(wanted) {
        if (wanted === second) throw new Error('a defect');
        return services.questions.collect(wanted);
      },
    });
    await using server = await speakTo(disturbing);
    const { result } = await server.call('tools/call', { name: 'get_answered_questions', arguments: {} });
    expect(result).toMatchObject({ isError: true, content: [{ text: 'Error (INTERNAL): a defect' }] });
    await ticks(3);
    expect([await isNewNow(world, first), await isNewNow(world, second)]).toEqual([true, true]);
  });

  verifies('Q18', 'leaves out a set that went away meanwhile', async () => {
    await using world = await appWorld();
    const gone = await answered(world);
    await answered(world);
    const services = world.services();
    const disturbing = disturbed(services, {
      async collect(wanted) {
        if (wanted === gone)
          await retain(services.questions, services, { olderThanMs: -60_000, takesUncollected: true });
        return services.questions.collect(wanted);
      },
    });
    await using server = await speakTo(disturbing);
    const { result } = await server.call('tools/call', { name: 'get_answered_questions', arguments: {} });
    // Everything was cleaned up: there is nothing left to report, and nothing fails.
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent.sessions).toEqual([]);
  });

  verifies('Q18', 'is not marked when the connection ended first', async () => {
    await using world = await appWorld();
    const id = await answered(world);
    const services = world.services();
    const disturbing = disturbed(services, {
      async collect(wanted) {
        const delivery = await services.questions.collect(wanted);
        void server.close();
        await ticks(5);
        return delivery;
      },
    });
    const server = await speakTo(disturbing);
    server.request('tools/call', { name: 'get_answered_questions', arguments: { session_id: id } });
    await server.ended;
    expect(await isNewNow(world, id)).toBe(true);
  });

  verifies('Q18', 'is not marked when the pipe did not take it', async () => {
    await using world = await appWorld();
    const id = await answered(world);
    await using server = await speakTo(world.services());
    server.stdout.on('error', () => {});
    const write = server.stdout.write.bind(server.stdout);
    server.stdout.write = ((chunk: string, ...more: never[]) => {
      if (chunk.includes('"result"')) server.stdout.destroy(new Error('EPIPE'));
      return write(chunk, ...more);
    }) as typeof server.stdout.write;
    server.request('tools/call', { name: 'get_answered_questions', arguments: { session_id: id } });
    await server.ended;
    expect(await isNewNow(world, id)).toBe(true);
  });

  verifies('Q18', 'works on a full disk: the answer is delivered, and stays new', async () => {
    await using world = await appWorld();
    const id = await answered(world);
    const fileSystem = new FailingFileSystem();
    await using server = await speakTo(world.services({ fileSystem }));
    fileSystem.arm({ fault: 'ENOSPC', at: 1, isLasting: true });
    const { result } = await server.call('tools/call', {
      name: 'get_answered_questions',
      arguments: { session_id: id, blocking: true },
    });
    expect(result.structuredContent.sessions).toMatchObject([
      { sessionId: id, status: 'completed', isNew: true },
    ]);
    await ticks(3);
    expect(await isNewNow(world, id)).toBe(true);
    expect(world.log.named('question.delivery-not-noted')).toHaveLength(1);
  });
});

describe('the server', () => {
  verifies('Q18', 'retires old sets when it starts, and says what it did', async () => {
    await using world = await appWorld();
    world.configure({ question: { retentionDays: 0.00000001 } });
    const old = await answered(world);
    {
      using delivery = await world.services().questions.collect(old);
      delivery.confirm();
    }
    const pending = (await world.services().questions.create(SET)).id;
    await using server = await speakTo(world.services());
    await server.call('ping');
    await ticks(5);
    expect(world.services().questions.ids()).toEqual([pending]);
    expect(world.log.named('question.cleaned')).toMatchObject([{ fields: { movedToTrash: [old] } }]);
  });

  verifies('Q18', 'keeps serving when the disk cannot be cleaned', async () => {
    await using world = await appWorld();
    await answered(world);
    const fileSystem = new FailingFileSystem({ fault: 'EIO', at: 1, isLasting: true, only: ['list'] });
    await using server = await speakTo(world.services({ fileSystem }));
    expect(await server.call('ping')).toMatchObject({ result: {} });
    expect(world.log.named('question.clean-failed')).toHaveLength(1);
  });

  it('reports a short id as an error with advice, and continues', async () => {
    await using world = await appWorld();
    const services = world.services();
    const { id } = await services.questions.create(SET);
    await using server = await speakTo(services);
    const { result } = await server.call('tools/call', {
      name: 'get_answered_questions',
      arguments: { session_id: id.slice(0, 3) },
    });
    expect(result.content[0].text).toMatch(
      /^Error \(INVALID_SESSION_ID\): .*\nUse the session id exactly as it was returned\.$/,
    );
    expect(await server.call('ping')).toMatchObject({ result: {} });
  });

  it('many calls at once each get their own answer', async () => {
    await using world = await appWorld();
    const services = world.services();
    await using server = await speakTo(services);
    const calls = Array.from({ length: 10 }, (_, index) =>
      server.call('tools/call', {
        name: 'ask_user_questions',
        arguments: { questions: [question({ title: `Q${index}` })] },
      }),
    );
    const { questions } = world.services();
    while (questions.ids().length < 10) await ticks(1);
    for (const view of await questions.list()) {
      await questions.answer(view.id, [{ questionIndex: 0, customText: `for ${view.questions[0]?.title}` }]);
    }
    const texts = (await Promise.all(calls)).map(
      ({ result }) => result.structuredContent.sessions[0].answers[0].customText,
    );
    expect(texts).toEqual(calls.map((_, index) => `for Q${index}`));
  });

  it('a waiting call and its cancellation leave no watcher behind', async () => {
    await using world = await appWorld();
    const server = await speakTo(world.services());
    const request = server.request('tools/call', {
      name: 'ask_user_questions',
      arguments: { questions: SET },
    });
    const { questions } = world.services();
    while (questions.ids().length < 1) await ticks(1);
    server.notify('notifications/cancelled', { requestId: request.id });
    const [id = ''] = questions.ids();
    while ((await questions.get(id)).isAskerGone !== true) await ticks(1);
    // The server would not close while some of its work is still in flight.
    await server.close();
    expect((await questions.get(id)).outcome.status).toBe('pending');
  });
});

describe('a message that is too long or broken', () => {
  it('is one error, and the calls before and after it are answered', async () => {
    await using world = await appWorld();
    const id = await answered(world);
    await using server = await speakTo(world.services());
    const huge = server.request('tools/call', {
      name: 'ask_user_questions',
      arguments: { questions: [{ ...question(), prompt: 'x'.repeat(MAX_MESSAGE_BYTES) }] },
    });
    server.notify('notifications/cancelled', { requestId: 99, reason: 'y'.repeat(MAX_MESSAGE_BYTES) });
    server.write(
      Buffer.from('{"jsonrpc":"2.0","id":77,"method":"ping","params":{"\xff\xfe":"\xc3("}}\n', 'latin1'),
    );
    server.write('{"jsonrpc":"2.0","id":78,"method":"ping"\n'.repeat(3));
    const { result } = await server.call('tools/call', {
      name: 'get_answered_questions',
      arguments: { session_id: id },
    });
    expect(result.structuredContent.sessions).toMatchObject([{ sessionId: id }]);
    const { error } = await huge.response;
    expect(error).toEqual({
      code: -32_600,
      message: expect.stringMatching(/^The message has \d+ bytes, and a message may have at most 10485760\./),
    });
  });

  it('may have as many bytes as are allowed', async () => {
    await using world = await appWorld();
    await using server = await speakTo(world.services());
    const bare = '{"jsonrpc":"2.0","id":"whole","method":"ping","params":{"_meta":{"x":""}}}'.length;
    const room = MAX_MESSAGE_BYTES - bare - 1;
    server.write(
      `{"jsonrpc":"2.0","id":"whole","method":"ping","params":{"_meta":{"x":"${'z'.repeat(room)}"}}}\n`,
    );
    await server.call('ping');
    expect(server.messages.filter((message) => message.id === 'whole')).toMatchObject([{ result: {} }]);
  });
});
