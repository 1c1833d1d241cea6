import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Services } from '../../app/services.js';
import { webApp } from './app.js';
import { composeWeb, type OwnParts } from './compose.js';
import { WrongHostError } from './errors.js';
import { EVERYWHERE, NOT_KEPT } from './gate/headers.js';
import { refusalOf } from './routes/status.js';

/** What answers requests, and what it follows for that. */
export interface Answers extends Disposable {
  readonly answer: RequestListener;
}

export function openAnswers(services: Services, own: OwnParts): Answers {
  const parts = composeWeb(services, own);
  return {
    answer: getRequestListener(webApp(parts).fetch, {
      overrideGlobalObjects: false,
      errorHandler: badRequest,
    }),
    [Symbol.dispose]: () => parts.feed[Symbol.dispose](),
  };
}

/** What cannot be read as a request for any host, such as one for `http://%/`. */
function badRequest(): Response {
  return Response.json(refusalOf(new WrongHostError(undefined)), {
    status: 421,
    headers: { ...EVERYWHERE, 'Cache-Control': NOT_KEPT },
  });
}
