import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { Machine, Running } from '../support/holdfast-binary.js';
import { withPlayer } from '../support/player.js';
import { SeededRandom } from '../support/seeded-random.js';

/** What was seen of one conversation from outside. */
interface Talk {
  readonly id: string;
  readonly sent: string[];
  /** Messages whose answer has begun to arrive. */
  readonly begun: Set<string>;
  /** Messages whose answer was shown as complete. */
  readonly answered: Set<string>;
}

/** This many kills in a row hit one conversation, so that each finds what the others left. */
const KILLS_PER_TALK = 10;
/** Several exchanges take about this long. */
const SPREAD_MS = 200;

/**
 * Kills chats at random instants and continues them in the next process: every answer that was shown as complete is in
 * the file, no message is lost once its answer has begun to arrive, and none is there twice.
 */
export async function killChats(
  kills: number,
  seed: number,
): Promise<{ readonly answered: number; readonly sent: number }> {
  const random = new SeededRandom(seed);
  await using world = await withPlayer([]);
  let [answered, sent] = [0, 0];
  let talk: Talk = newTalk(0);
  for (let kill = 0; kill < kills; kill++) {
    const isNew = kill % KILLS_PER_TALK === 0;
    if (isNew) talk = newTalk(kill);
    const before = [talk.answered.size, talk.sent.length] as const;
    const start = isNew ? ['--agent', 'player', '--session', talk.id] : ['--resume', talk.id];
    const moment = { answers: random.below(3), delayMs: random.next() * SPREAD_MS };
    await talkUntilKilled(world.start(['chat', '--json', ...start]), talk, moment);
    expectKept(world, talk, `kill ${kill} of seed ${seed}`);
    answered += talk.answered.size - before[0];
    sent += talk.sent.length - before[1];
    const isLast = kill % KILLS_PER_TALK === KILLS_PER_TALK - 1 || kill === kills - 1;
    // The next owner repairs what the last kill cut off; nothing else needs repair.
    if (isLast) await expectWhole(world, talk);
  }
  return { answered, sent };
}

function newTalk(kill: number): Talk {
  return { id: `talk-${kill}`, sent: [], begun: new Set(), answered: new Set() };
}

/** Sends one message after another, each once the previous one was answered, until the kill. */
async function talkUntilKilled(
  chat: Running,
  talk: Talk,
  { answers, delayMs }: { readonly answers: number; readonly delayMs: number },
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let seen = 0;
  // From the moment at which this many answers were seen, or the first one began to arrive.
  const killSoon = () => {
    timer ??= setTimeout(() => chat.child.kill('SIGKILL'), delayMs);
  };
  const say = () => {
    const message = `${talk.id} message ${talk.sent.length}`;
    talk.sent.push(message);
    chat.child.stdin.write(`${JSON.stringify({ content: message })}\n`);
  };
  createInterface({ input: chat.child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as { type: string; reason?: string };
    const message = talk.sent.at(-1) ?? '';
    if (event.type === 'text') talk.begun.add(message);
    if (event.type === 'text' && answers === 0) killSoon();
    if (event.type !== 'turn-end') return;
    expect(event.reason).toBe('completed');
    talk.answered.add(message);
    seen += 1;
    if (seen === answers) killSoon();
    say();
  });
  say();
  const { signal, stderr } = await chat.ended;
  clearTimeout(timer);
  expect(signal, stderr).toBe('SIGKILL');
}

function expectKept(world: Machine, talk: Talk, what: string): void {
  const turns = turnsOf(world, talk.id);
  const said = turns.filter(({ role }) => role === 'user').map(({ content }) => content);
  expect(new Set(said).size, `${what}: twice`).toBe(said.length);
  expect(
    said.filter((message) => !talk.sent.includes(message)),
    `${what}: nobody said`,
  ).toEqual([]);
  for (const message of talk.begun) expect(said, `${what}: lost`).toContain(message);
  for (const message of talk.answered) {
    const at = turns.findIndex(({ role, content }) => role === 'user' && content === message);
    expect(turns[at + 1], `${what}: the answer to ${message}`).toMatchObject({
      role: 'assistant',
      content: expect.stringContaining(message),
    });
  }
}

async function expectWhole(world: Machine, { id }: Talk): Promise<void> {
  const resumed = await world.run(['chat', '--resume', id], { input: 'the last word\n' });
  expect(resumed.code, resumed.stderr).toBe(0);
  const verified = await world.run(['sessions', 'verify', id]);
  expect(verified.code, verified.stdout).toBe(0);
}

interface KeptTurn {
  readonly type: string;
  readonly role: string;
  readonly content: string;
}

/** The turns of a file; what a kill cut off at the end does not count. */
function turnsOf(world: Machine, id: string): KeptTurn[] {
  const path = join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions', `${id}.jsonl`);
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as KeptTurn).filter(({ type }) => type === 'turn');
}
