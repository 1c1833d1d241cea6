import { findRunOf } from '../../../app/overview/open-overview.js';
import { InvalidInputError } from '../../../foundation/index.js';
import { type LocatedRun, listOverview, readRunLog } from '../../../overview/index.js';
import { listQuestions } from '../../../sessions/question/index.js';
import type { Me, PageSnapshot } from '../../contract/index.js';
import { TooManyRequestsError } from '../errors.js';
import { type Device, noteSeen } from '../files/devices.js';
import { RunFeed } from '../live/run-feed.js';
import { PageStream } from '../live/stream.js';
import type { Call, Route } from './route.js';

export const liveRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/me',
    operations: [listOverview],
    answer: async ({ device }) => meOf(device),
  },
  {
    method: 'get',
    path: '/api/state',
    operations: [listOverview, listQuestions],
    async answer({ parts, device }): Promise<PageSnapshot> {
      const state = await parts.feed.read();
      return { ...state, now: parts.services.clock.now().toISOString(), me: meOf(device) };
    },
  },
  {
    method: 'get',
    path: '/api/events',
    operations: [listOverview, listQuestions, readRunLog],
    answer: openStream,
  },
];

export function meOf({ id, name, can }: Device): Me {
  return { device: id, name, can };
}

async function openStream({ parts, device, query, onLeft }: Call): Promise<Response> {
  const { feed, streams, limits, services, place } = parts;
  const wanted = wantedRun(parts, query);
  await feed.read();
  if (streams.count(device) >= limits.streams) throw new TooManyRequestsError('open streams of this device');
  const stream: PageStream = new PageStream({
    feed,
    clock: services.clock,
    log: services.log,
    me: meOf(device),
    openRun: wanted && ((onMore) => new RunFeed(services, wanted.place, wanted.after, onMore)),
    onPing: () => noteSeen(place, device),
    onEnd: () => streams.remove(device, stream),
  });
  streams.add(device, stream);
  // A reader who leaves before the first byte does not cancel the body.
  onLeft(() => stream.leave());
  return new Response(stream.body, { headers: { 'Content-Type': 'text/event-stream' } });
}

const WANTED = /^([0-9a-f-]{36})(?::(-1|\d{1,15}))?$/i;

/** `run=<id>:<seq>`: the wanted journal, and the last entry the page has. Throws INVALID_INPUT, RUN_NOT_FOUND. */
function wantedRun(
  { services }: Call['parts'],
  query: URLSearchParams,
): { readonly place: LocatedRun; readonly after: number } | undefined {
  const asked = query.getAll('run');
  const [first] = asked;
  if (first === undefined) return undefined;
  const [, run, after = '-1'] = WANTED.exec(first) ?? [];
  if (run === undefined || asked.length > 1)
    throw new InvalidInputError('run: one <id>:<seq> is expected', { place: 'run' });
  return { place: findRunOf(services, run), after: Number(after) };
}
