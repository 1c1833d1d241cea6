import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { isFleetKnown } from '../../app/fleet/fleet-known.js';
import type { Services } from '../../app/services.js';
import { webApp } from './app.js';
import { composeWeb, type OwnParts } from './compose.js';
import { WrongHostError } from './errors.js';
import { EVERYWHERE, NOT_KEPT } from './gate/headers.js';
import { refusalOf } from './routes/status.js';

/** Answers requests, and holds what it follows for that. */
export interface Answers extends AsyncDisposable {
  readonly answer: RequestListener;
}

export async function openAnswers(services: Services, own: OwnParts): Promise<Answers> {
  const fleet = isFleetKnown(services)
    ? await (await import('./live/elsewhere.js')).openElsewhere(services)
    : undefined;
  const parts = composeWeb(services, own, fleet);
  return {
    answer: getRequestListener(webApp(parts).fetch, {
      overrideGlobalObjects: false,
      errorHandler: badRequest,
    }),
    async [Symbol.asyncDispose]() {
      parts.feed[Symbol.dispose]();
      await fleet?.[Symbol.asyncDispose]();
    },
  };
}

/** The reply to a request that names no valid host, such as one for `http://%/`. */
function badRequest(): Response {
  return Response.json(refusalOf(new WrongHostError(undefined)), {
    status: 421,
    headers: { ...EVERYWHERE, 'Cache-Control': NOT_KEPT },
  });
}
