import { checkInput } from '../../../foundation/index.js';
import { reportOnRun } from '../../../run/index.js';
import type { Route } from './route.js';

export const reportRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/runs/:id/report',
    operations: [reportOnRun],
    answer: ({ parts, id, context }) =>
      reportOnRun.run(parts, checkInput(reportOnRun, { session: id }), context),
  },
];
