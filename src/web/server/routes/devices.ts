import { showAccess } from '../../../operations/pocket.js';
import { pocketOf } from './pocket-desk.js';
import type { Route } from './route.js';

/** Read-only: signing others out is left to the terminal. */
export const deviceRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/devices',
    operations: [showAccess],
    answer: (call) => showAccess.run(pocketOf(call), {}, call.context),
  },
];
