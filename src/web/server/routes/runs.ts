import * as z from 'zod';
import { checkInput } from '../../../foundation/index.js';
import { showRunAnywhere } from '../../../overview/index.js';
import { steerRunAnywhere, takeBackSteering } from '../../../run/index.js';
import type { Route } from './route.js';

export const runRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/runs/:id',
    operations: [showRunAnywhere],
    async answer({ parts, id, context }) {
      // The row is one of those the page has.
      await parts.feed.ready();
      return showRunAnywhere.run(parts, checkInput(showRunAnywhere, { run: id }), context);
    },
  },
  {
    method: 'post',
    path: '/api/runs/:id/request',
    operations: [steerRunAnywhere],
    body: steerRunAnywhere.input.shape.request,
    audit: 'steer',
    answer: ({ parts, id, body, context }) =>
      steerRunAnywhere.run(parts, checkInput(steerRunAnywhere, { run: id, request: body }), context),
  },
  {
    method: 'post',
    path: '/api/runs/:id/take-back',
    operations: [takeBackSteering],
    body: z.strictObject({}),
    audit: 'take-back',
    answer: ({ parts, id, context }) =>
      takeBackSteering.run(parts, checkInput(takeBackSteering, { run: id }), context),
  },
];
