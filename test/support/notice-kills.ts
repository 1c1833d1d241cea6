import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { PATIENT } from './deadlines.js';
import { machine, type Running } from './holdfast-binary.js';
import { noticeServer } from './notice-server.js';

/** When the sending process is killed. */
export type KillPoint =
  /** Its message has arrived, but it does not know that yet. */
  | 'arrived'
  /** The notice is on disk. */
  | 'queued'
  /** This long after the question was on disk. */
  | { readonly afterMs: number };

/**
 * A question is asked, its asker is killed while sending the notice, and another process survives: the person is
 * notified at least once, at most twice, and always under the same id. Returns how often.
 */
export async function killWhileTelling(point: KillPoint): Promise<number> {
  await using world = await machine();
  let asking: Running | undefined;
  await using server = await noticeServer((_request, count) => {
    if (point !== 'arrived' || count > 1) return { status: 200 };
    asking?.child.kill('SIGKILL');
    return 'hang';
  });
  const hook = { type: 'webhook', url: server.url, secret: 'env:HOOK_SECRET' };
  world.configure({ notices: { channels: { hook } } });
  const env = { HOOK_SECRET: 'secret' };
  asking = world.start(['ask', 'Deploy now?', '--option', 'Yes', '--option', 'No'], { env });
  const notices = join(world.env.HOLDFAST_HOME ?? '', 'state', 'notices');
  const isThere = (directory: string, ending: string) =>
    existsSync(directory) &&
    readdirSync(directory).some((name) => name.endsWith(ending) && !name.startsWith('.'));
  await vi.waitFor(
    () => {
      if (!isThere(point === 'queued' ? notices : world.questions, point === 'queued' ? '.json' : ''))
        throw new Error('not yet');
    },
    { ...PATIENT, interval: 1 },
  );
  if (point !== 'arrived') {
    if (point !== 'queued') await new Promise((resolve) => setTimeout(resolve, point.afterMs));
    asking.child.kill('SIGKILL');
  }
  await asking.ended;
  const survivor = world.start(['mcp'], { env });
  await vi.waitFor(async () => {
    const { data } = await world.asideJson(['notify', 'list']);
    expect(data.notices).toMatchObject([{ kind: 'question', state: 'sent' }]);
  }, PATIENT);
  survivor.child.stdin.end();
  await survivor.ended;
  expect(new Set(server.received.map(({ body }) => body.id)).size).toBe(1);
  return server.received.length;
}
