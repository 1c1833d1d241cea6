import { expect, vi } from 'vitest';
import { PATIENT } from './deadlines.js';
import type { Running } from './holdfast-binary.js';
import { connectAgent } from './mcp-agent.js';
import { SeededRandom } from './seeded-random.js';
import { type WebBrowser, webWorld } from './web-world.js';

const LABELS = ['A', 'B', 'C'];

/**
 * An agent asks over MCP. Two browsers and `holdfast answer` give different answers at once, and now and then the
 * server is killed meanwhile. One answer wins, everyone who is told an outcome is told that one, and the agent gets it.
 */
export async function raceOnThePage({ races, kills }: { races: number; kills: number }): Promise<void> {
  await using world = await webWorld({ config: { web: { writesPerMinute: 1_000_000 } } });
  await using agent = await connectAgent(world.machine);
  const browsers = [await world.signIn('answer', 'desk'), await world.signIn('answer', 'phone')];
  const random = new SeededRandom(20_261_116);
  const killed = new Set(Array.from({ length: kills }, (_, index) => Math.floor((index * races) / kills)));
  let running = world.running;
  for (let race = 0; race < races; race += 1) {
    const title = `Race ${race}`;
    const asked = agent.ask({
      questions: [{ title, prompt: `${title}?`, options: LABELS.map((label) => ({ label })) }],
    });
    const id = await idOf(world, title);
    const dying = killed.has(race) ? killIn(running, random.below(13)) : undefined;
    const [first, second, typed] = shuffled(random);
    const replies = await Promise.all([
      ...browsers.map((browser, index) => answer(browser, id, (index === 0 ? first : second) ?? 'A')),
      world.machine.run(['answer', id, '--option', typed ?? 'C']),
    ]);
    await dying;
    if (dying !== undefined) running = await world.startAgain();
    const { set } = (await browsers[0]?.get(`/api/questions/${id}`))?.json ?? {};
    expect(set).toMatchObject({ status: 'completed' });
    const winner = set.answers[0].selectedOption;
    const story = JSON.stringify({ race, first, second, typed, winner, replies });
    assertAgrees(replies.slice(0, 2) as Told[], [first, second], winner, story);
    const { code } = replies[2] as { code: number };
    expect(code, story).toBe(typed === winner ? 0 : 1);
    expect((await asked).session.answers[0].selectedOption, story).toBe(winner);
  }
}

/** The HTTP status and the answer reported as standing; undefined if the server was killed. */
type Told = { readonly status: number; readonly stands: string } | undefined;

async function answer(browser: WebBrowser, id: string, label: string): Promise<Told> {
  try {
    const { status, json } = await browser.post(`/api/questions/${id}/answer`, {
      answers: [{ questionIndex: 0, selectedOption: label }],
      isWhole: true,
    });
    const card = status === 200 ? json : json.details.winner;
    return { status, stands: card.set.answers[0].selectedOption };
  } catch {
    return undefined;
  }
}

function assertAgrees(
  told: readonly Told[],
  said: readonly (string | undefined)[],
  winner: string,
  story: string,
): void {
  for (const [index, one] of told.entries()) {
    if (one === undefined) continue;
    expect(one, story).toEqual({ status: said[index] === winner ? 200 : 409, stands: winner });
  }
}

async function idOf({ services }: Awaited<ReturnType<typeof webWorld>>, title: string): Promise<string> {
  return vi.waitFor(async () => {
    const found = (await services.questions.list()).find(({ questions }) => questions[0]?.title === title);
    expect(found).toBeDefined();
    return found?.id ?? '';
  }, PATIENT);
}

/** Kills the server in the middle of its work. */
async function killIn(running: Running | undefined, ms: number): Promise<void> {
  setTimeout(() => running?.child.kill('SIGKILL'), ms);
  await running?.ended;
}

function shuffled(random: SeededRandom): string[] {
  const left = [...LABELS];
  return LABELS.map(() => left.splice(random.below(left.length), 1)[0] ?? '');
}
