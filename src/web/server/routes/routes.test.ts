import { expect, it } from 'vitest';
import { OPERATIONS, operationsOn } from '../../../operations/index.js';
import { ROUTES } from './index.js';
import { openApi } from './open-api.js';
import { capabilityOf } from './route.js';

/** Operations without their own address, because the page shows their content otherwise, with the reason. */
const ABSENT: Readonly<Record<string, string>> = {
  'question.waiting': 'the state has every card',
  'question.wait': 'the stream tells how a set ends',
  'loop.show': 'of one project; the page has rows of all of them',
  'loop.summarize': 'of one project; the page has rows of all of them',
  'loop.pause': 'run.steer, for a run of any project',
  'loop.resume': 'run.steer, for a run of any project',
  'loop.stop': 'run.steer, for a run of any project',
  'loop.guide': 'run.steer, for a run of any project',
  'run.status': 'of one project; run.show and the journal say it of any',
  'queue.list': 'entries and workers are rows of the overview',
  'queue.show': 'as queue.list',
  'session.list': 'session.browse has those of every project',
  'session.show': 'conversations are read by conversation.read, the others have places of their own',
  'conversation.list': 'session.browse has them',
  'process.list': 'agents without a run are rows of the overview',
  'process.show': 'agents without a run are rows of the overview',
  'process.stop': 'not in the first page: it stops runs, not processes',
  'change.context': 'for agents; the page shows runs',
  'change.tasks': 'for agents; the page shows runs',
  'change.status': 'the page shows runs',
  'change.list': 'the page shows runs',
  'change.show': 'the page shows runs',
};

const routed = new Set(ROUTES.flatMap(({ operations }) => operations.map(({ name }) => name)));
const onPage = operationsOn('page', OPERATIONS).map(({ name }) => name as string);

it('has no route without an operation, and none whose operation is not for the page', () => {
  for (const { path, operations } of ROUTES) expect([path, operations.length > 0]).toEqual([path, true]);
  expect([...routed].filter((name) => !onPage.includes(name))).toEqual([]);
});

it('routes every operation of the page, or says why not', () => {
  expect(onPage.filter((name) => !routed.has(name)).sort()).toEqual(Object.keys(ABSENT).sort());
});

it('requires what the operation requires, and never more than a device can have', () => {
  const needed = Object.fromEntries(
    ROUTES.map((route) => [`${route.method} ${route.path}`, capabilityOf(route)]),
  );
  expect(needed).toEqual({
    'get /api/me': 'view',
    'get /api/state': 'view',
    'get /api/events': 'view',
    'get /api/questions/:id': 'view',
    'put /api/questions/:id/draft': 'answer',
    'post /api/questions/:id/answer': 'answer',
    'post /api/questions/:id/reject': 'answer',
    'post /api/questions/:id/take-back': 'answer',
    'get /api/runs/:id': 'view',
    'get /api/runs/:id/report': 'view',
    'post /api/runs/:id/request': 'steer',
    'post /api/runs/:id/take-back': 'steer',
    'get /api/sessions': 'view',
    'get /api/sessions/:id': 'view',
    'get /api/sessions/:id/turns': 'view',
    'get /api/sessions/:id/find': 'view',
    'get /api/sessions/:id/record': 'view',
    'get /api/sessions/:id/verify': 'view',
    'get /api/sessions/:id/export': 'view',
    'post /api/sessions/:id/recover': 'steer',
    'get /api/devices': 'view',
    'get /api/push': 'view',
    'post /api/push': 'answer',
    'post /api/push/test': 'answer',
  });
});

it('is a read if it is a GET, and audits every write that counts', () => {
  for (const { method, path, operations, audit, body } of ROUTES) {
    const writes = operations.some(({ effect }) => effect === 'write');
    expect([path, writes, body !== undefined]).toEqual([path, method !== 'get', method !== 'get']);
    if (writes && !path.endsWith('/draft')) expect([path, audit]).toEqual([path, expect.any(String)]);
  }
});

it('describes each route as OpenAPI', () => {
  const { paths } = openApi(ROUTES) as { paths: Record<string, Record<string, object>> };
  expect(Object.values(paths).flatMap((methods) => Object.keys(methods))).toHaveLength(ROUTES.length);
  expect(JSON.stringify(paths)).not.toContain('undefined');
});
