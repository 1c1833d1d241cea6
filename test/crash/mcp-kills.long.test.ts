import { describe, expect, vi } from 'vitest';
import { createServices } from '../../src/app/index.js';
import { PATIENT } from '../support/deadlines.js';
import { type Machine, machine } from '../support/holdfast-binary.js';
import { connectAgent, ERAS, type ToolReply } from '../support/mcp-agent.js';
import { question } from '../support/question-world.js';
import { SeededRandom } from '../support/seeded-random.js';
import { verifies } from '../support/verifies.js';

const SET = [question()];
const ROUNDS = 6;

/** The person: a process other than the server, namely this one. */
function person(world: Machine) {
  return createServices({
    environment: world.env,
    workingDirectory: world.project,
    command: 'the person',
    self: { command: process.execPath, args: [] },
  }).questions;
}

describe('a server that is killed at any moment', () => {
  for (const era of ERAS) {
    verifies(
      'Q18',
      `loses no question and no answer, and announces each at least once (${era})`,
      async () => {
        await using world = await machine();
        const questions = person(world);
        const random = new SeededRandom(era === 'legacy' ? 7 : 8);
        for (let round = 0; round < ROUNDS; round++) {
          const parameters = { questions: SET, requestId: `round-${round}` };
          const announced: boolean[] = [];
          const note = (reply: ToolReply) => {
            if (reply.session?.status === 'completed') announced.push(reply.session.isNew);
          };
          const agent = await connectAgent(world, { era });
          const first = agent.ask(parameters).then(note, () => {});
          if (round > 0) {
            // Before the set exists (round 0), while it is waiting, and around the answer.
            const id = await vi.waitFor(() => unanswered(world), PATIENT);
            const turns = random.below(12) * (round % 4);
            const answering =
              round > 2 ? questions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]) : undefined;
            for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
            agent.kill('SIGKILL');
            await answering;
          } else agent.kill('SIGKILL');
          await agent.closed;
          await first;
          // The same request to a new server: the same set, created now if it did not exist.
          await using again = await connectAgent(world, { era });
          const second = again.ask(parameters);
          const id = await vi.waitFor(() => only(world, round), PATIENT);
          await questions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
          const reply = await second;
          note(reply);
          expect(reply.session).toMatchObject({
            sessionId: id,
            status: 'completed',
            answers: [{ selectedOption: 'SQLite' }],
          });
          const third = await again.fetch({ session_id: id });
          expect(third.text).toBe(reply.text);
          expect(third.session).toEqual({ ...reply.session, isNew: false });
          expect(announced).toContain(true);
          expect(world.ids()).toHaveLength(round + 1);
        }
        expect((await questions.list()).map((view) => view.faults)).toEqual(
          Array.from({ length: ROUNDS }, () => []),
        );
      },
    );
  }
});

function unanswered(world: Machine): string {
  const id = world.ids().find((one) => world.readFile(one, 'status.json').status === 'pending');
  if (id === undefined) throw new Error('no set is pending');
  return id;
}

/** The set of a round: the newest, once there are as many sets as rounds. */
function only(world: Machine, round: number): string {
  const ids = world.ids();
  if (ids.length !== round + 1) throw new Error(`${ids.length} sets`);
  const times = ids.map((id) => [world.readFile(id, 'request.json').timestamp as string, id] as const).sort();
  return times.at(-1)?.[1] ?? '';
}
