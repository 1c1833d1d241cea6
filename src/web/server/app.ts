import { isIP, type Socket } from 'node:net';
import { type Context, Hono } from 'hono';
import { isHoldfastError, messageOf, visibleExcerpt } from '../../foundation/index.js';
import { pageAssets } from './assets.js';
import {
  NoSuchAddressError,
  NotAllowedError,
  NotSignedInError,
  TooManyRequestsError,
  WrongHostError,
} from './errors.js';
import { writeAudit } from './files/audit.js';
import { type Device, isStillSignedIn, noteSeen } from './files/devices.js';
import { assertOwnPage, signedInDevice } from './gate/check-request.js';
import { cookieIn, setCookie } from './gate/cookie.js';
import { EVERYWHERE, NOT_KEPT } from './gate/headers.js';
import type { OwnOrigin } from './gate/own-origins.js';
import { readJson } from './gate/read-json.js';
import type { WebParts } from './parts.js';
import { assetResponse } from './routes/assets.js';
import { ROUTES } from './routes/index.js';
import { openApi } from './routes/open-api.js';
import { askForPairing, claimOfPairing } from './routes/pair.js';
import { cardOf } from './routes/questions.js';
import { type Call, capabilityOf, isAllowed, type Route } from './routes/route.js';
import { signIn, signOut } from './routes/sign-in.js';
import { refusalOf, statusOf } from './routes/status.js';

interface Bindings {
  readonly incoming?: { readonly socket?: Socket };
}

interface Environment {
  Bindings: Bindings;
  Variables: { own: OwnOrigin };
}

type WebContext = Context<Environment>;

/** The whole server as a function of requests: it needs no socket. */
export function webApp(parts: WebParts): Hono<Environment> {
  const app = new Hono<Environment>({ strict: true });
  const assets = pageAssets();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(EVERYWHERE)) c.res.headers.set(name, value);
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', NOT_KEPT);
  });
  app.use(async (c, next) => {
    const host = c.req.header('host');
    const own = parts.origins.of(host);
    if (own === undefined) throw new WrongHostError(host);
    c.set('own', own);
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') assertOwnPage(c.req.raw, own);
    await next();
  });
  app.use('/api/*', async (c, next) => {
    if (c.req.method === 'HEAD') throw new NoSuchAddressError();
    assertOwnPage(c.req.raw, c.get('own'));
    await next();
  });
  app.post('/api/login', async (c) => {
    const body = await readJson(c.req.raw);
    return signIn({ parts, own: c.get('own'), address: addressOf(c), body });
  });
  for (const [path, answer] of PAIRING)
    app.post(path, async (c) => {
      const body = await readJson(c.req.raw);
      return answer({ parts, own: c.get('own'), address: addressOf(c), body });
    });
  app.post('/api/logout', async (c) => signOut(await callOf(parts, c)));
  app.get('/api/openapi.json', async (c) => {
    signedIn(parts, c);
    return c.json(openApi(ROUTES));
  });
  for (const route of ROUTES) app.on(route.method, route.path, (c) => perform(parts, c, route));
  app.get('*', (c) => assetResponse(assets, c.req.raw, c.req.path));
  app.notFound((c) => refused(c, new NoSuchAddressError()));
  app.onError((error, c) => {
    if (!isHoldfastError(error)) parts.services.log.error('web.failed', { error: messageOf(error) });
    return refused(c, error);
  });
  return app;
}

const PAIRING = [
  ['/api/pair', askForPairing],
  ['/api/pair/claim', claimOfPairing],
] as const;

async function perform(parts: WebParts, c: WebContext, route: Route): Promise<Response> {
  const call = await callOf(parts, c, route);
  try {
    const answer = await route.answer(call);
    await audit(call, route, 'done');
    return answer instanceof Response ? answer : c.json(answer as object);
  } catch (error) {
    await audit(call, route, isHoldfastError(error) ? error.code : 'INTERNAL');
    if (statusOf(error) !== 409 || !call.id) throw error;
    // Someone else was first: the page shows the result that counts.
    const winner = await cardOf(parts, call.id).catch(() => undefined);
    return c.json({ ...refusalOf(error), ...(winner === undefined ? {} : { details: { winner } }) }, 409);
  }
}

function signedIn(parts: WebParts, c: WebContext): Device {
  const own = c.get('own');
  const device = signedInDevice(parts.place, c.req.raw, own);
  const cookie = cookieIn(c.req.header('cookie'), own);
  // A device that comes back stays signed in: the lifetime of its cookie starts anew.
  if (noteSeen(parts.place, device) && cookie !== undefined) c.header('Set-Cookie', setCookie(own, cookie));
  return device;
}

/** Checks a request and returns it as a call. Throws if it may not be answered; the body is read last. */
async function callOf(parts: WebParts, c: WebContext, route?: Route): Promise<Call> {
  const device = signedIn(parts, c);
  const needed = route === undefined ? 'view' : capabilityOf(route);
  if (!isAllowed(device.can, needed)) throw new NotAllowedError('This', needed);
  const isWrite = c.req.method !== 'GET';
  if (isWrite && parts.writes.isOver(device.id)) throw new TooManyRequestsError('writes of this device');
  if (isWrite) parts.writes.count(device.id);
  const body = isWrite ? await readJson(c.req.raw) : undefined;
  // A slow sender may have been signed out meanwhile.
  if (isWrite && !isStillSignedIn(parts.place, device.id)) throw new NotSignedInError();
  return {
    parts,
    device,
    own: c.get('own'),
    address: addressOf(c),
    id: c.req.param('id') ?? '',
    query: new URL(c.req.url).searchParams,
    body,
    onLeft: (leave) => {
      const socket = c.env?.incoming?.socket;
      if (socket?.destroyed === true) leave();
      else socket?.once('close', leave);
    },
    context: { actor: `page:${device.name}`, signal: parts.signal },
  };
}

/** The action is done and durable by now: a line that cannot be written does not undo it. */
async function audit({ parts, device, address, id }: Call, route: Route, result: string): Promise<void> {
  if (route.audit === undefined) return;
  const { id: deviceId, name, can } = device;
  const line = {
    what: route.audit,
    device: deviceId,
    name,
    can,
    address,
    id: visibleExcerpt(id, 80),
    result,
  };
  try {
    await writeAudit(parts.place, line);
  } catch (error) {
    parts.services.log.warn('web.audit-failed', { ...line, error: messageOf(error) });
  }
}

/** Where a request came from; a proxy is believed only if one was declared. */
function addressOf(c: WebContext): string {
  // The last address is what the proxy itself saw; the ones before it can be forged.
  const told = c.get('own').isBehind ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined;
  return told !== undefined && isIP(told) !== 0 ? told : (c.env?.incoming?.socket?.remoteAddress ?? 'local');
}

function refused(c: WebContext, error: unknown): Response {
  return c.json(refusalOf(error), statusOf(error) as 400);
}
