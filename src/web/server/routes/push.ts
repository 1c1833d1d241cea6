import { checkInput } from '../../../foundation/index.js';
import { showPush, testPush, wishPush } from '../../../operations/pocket.js';
import { pocketOf } from './pocket-desk.js';
import type { Route } from './route.js';

export const pushRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/push',
    operations: [showPush],
    answer: (call) => showPush.run(pocketOf(call), {}, call.context),
  },
  {
    method: 'post',
    path: '/api/push',
    operations: [wishPush],
    body: wishPush.input,
    audit: 'notify',
    answer: (call) => wishPush.run(pocketOf(call), checkInput(wishPush, call.body), call.context),
  },
  {
    method: 'post',
    path: '/api/push/test',
    operations: [testPush],
    body: testPush.input,
    audit: 'notify',
    answer: (call) => testPush.run(pocketOf(call), checkInput(testPush, call.body), call.context),
  },
];
