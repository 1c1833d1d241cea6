import { describe, expect, it } from 'vitest';
import { changeOf, snapshot } from '../../../../test/support/page-world.js';
import type { RunEntry, StreamEvent } from '../../contract/index.js';
import { type Connection, Stream, waitBefore } from './stream.js';

const told = (...events: StreamEvent[]) =>
  events.map(({ name, data }) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
const STATE: StreamEvent = { name: 'state', data: snapshot({ seq: 1 }) };
const CHANGE: StreamEvent = { name: 'change', data: changeOf(2) };
const entry = (seq: number): StreamEvent => ({
  name: 'entry',
  data: {
    run: 'r',
    seq,
    at: '2026-11-16T12:00:00.000Z',
    event: { type: 'text-lost', events: 1 },
    lines: [],
  } satisfies RunEntry,
});

/** Reads the answers of one server after another, each tried at once, until none are left. */
async function readAll(answers: (() => Response)[], follow: 'r' | null = null) {
  const asked: (string | null)[] = [];
  const heard: string[] = [];
  const connections: string[] = [];
  const left = [...answers];
  const end = await new Promise<'refused' | 'over'>((resolve) => {
    const stream: Stream = new Stream({
      open: async (run) => {
        asked.push(run);
        const answer = left.shift();
        if (answer === undefined) {
          stream.stop();
          resolve('over');
          throw new Error('nobody is there');
        }
        return answer();
      },
      onEvent: (event) => {
        heard.push(event.name === 'entry' ? `entry ${event.data.seq}` : event.name);
        if (event.name === 'entry') stream.noteSeq(event.data.seq);
      },
      onConnection: ({ name }: Connection) => {
        connections.push(name);
        if (name === 'reconnecting' || name === 'offline') queueMicrotask(() => stream.retry());
      },
      onRefused: () => resolve('refused'),
    });
    if (follow !== null) stream.follow({ run: follow, after: 0 });
    stream.start();
  });
  return { asked, heard, connections, end };
}

describe('the stream', () => {
  it('continues after the last entry when it was lost', async () => {
    const { asked, heard, connections } = await readAll(
      [() => new Response(told(STATE, entry(1), entry(2))), () => new Response(told(STATE, entry(3)))],
      'r',
    );
    expect(asked).toEqual(['r:0', 'r:2', 'r:3']);
    expect(heard).toEqual(['state', 'entry 1', 'entry 2', 'state', 'entry 3']);
    expect(connections).toEqual(['connecting', 'live', 'reconnecting', 'live', 'reconnecting']);
  });

  it('is offline after some tries, and does not accept other content as a stream', async () => {
    const lost = () => new Response('busy', { status: 503 });
    const { heard, connections } = await readAll([lost, lost, lost, () => new Response(told(STATE, CHANGE))]);
    expect(heard).toEqual(['state', 'change']);
    expect(connections).toEqual([
      'connecting',
      'reconnecting',
      'reconnecting',
      'offline',
      'live',
      'reconnecting',
    ]);
  });

  it('does not accept damaged data, and asks again', async () => {
    const { heard, asked } = await readAll([
      () => new Response(`${told(STATE)}event: change\ndata: {"se\n\n`),
    ]);
    expect([heard, asked.length]).toEqual([['state'], 2]);
  });

  it.each([401, 403])('ends if the server no longer knows the browser: %d', async (status) => {
    const { end, asked } = await readAll([() => new Response('{}', { status })]);
    expect([end, asked.length]).toEqual(['refused', 1]);
  });

  it('waits longer and longer, and never for long', () => {
    expect([1, 2, 3, 4, 5, 6, 20].map((tries) => waitBefore(tries, 0.5))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
    expect([waitBefore(1, 0), waitBefore(1, 1)]).toEqual([800, 1_200]);
  });
});
