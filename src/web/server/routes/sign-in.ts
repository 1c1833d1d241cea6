import * as z from 'zod';
import { checkInput, messageOf, visibleLine } from '../../../foundation/index.js';
import type { QuestionSessions } from '../../../sessions/question/index.js';
import type { DeviceCapability, SignedIn } from '../../contract/index.js';
import { CodeRefusedError, TooManyRequestsError } from '../errors.js';
import { writeAudit } from '../files/audit.js';
import { spendCode } from '../files/codes.js';
import { addDevice, revokeDevice } from '../files/devices.js';
import { dropCookie, setCookie } from '../gate/cookie.js';
import type { OwnOrigin } from '../gate/own-origins.js';
import type { WebParts } from '../parts.js';
import { meOf } from './live.js';
import type { Call } from './route.js';

const Login = z.strictObject({ code: z.string().max(200), name: z.string().max(400) });
const MAX_NAME = 40;
export const EVERYBODY = 'everybody';

/** A sign-in: who it is and from where. */
export interface SignIn {
  readonly parts: WebParts;
  readonly own: OwnOrigin;
  readonly address: string;
  readonly body: unknown;
}

/** Signs a browser in with the code of a link. Throws TOO_MANY_REQUESTS, CODE_REFUSED, INVALID_INPUT. */
export async function signIn(request: SignIn): Promise<Response> {
  const { parts, address, body } = request;
  const { place, failures } = parts;
  const { code, name: given } = checkInput({ input: Login }, body);
  // Codes cannot be guessed, so the tries of others never lock out a person who has one.
  const can = spendCode(place, code);
  if (can === undefined) {
    if (failures.isOver(EVERYBODY)) throw new TooManyRequestsError('attempts to sign in');
    await refuse(parts, address);
    throw new CodeRefusedError();
  }
  return enter(request, { can, name: nameOf(given) });
}

/** Registers a browser that was let in as a device. */
export async function enter(
  { parts, own, address }: SignIn,
  { can, name: wished }: { readonly can: DeviceCapability; readonly name: string },
): Promise<Response> {
  const { device, cookie, key } = addDevice(parts.place, { name: wished, can, origin: own.origin });
  const { id, name } = device;
  await writeAudit(parts.place, { what: 'sign-in', device: id, name, can, address, result: 'done' });
  const told: SignedIn = { ...meOf(device), key };
  return Response.json(told, { headers: { 'Set-Cookie': setCookie(own, cookie) } });
}

/** Signs this browser out, for good. */
export async function signOut({ parts, own, device, address }: Call): Promise<Response> {
  revokeDevice(parts.place, device.id, 'signed out');
  const { id, name, can } = device;
  await writeAudit(parts.place, { what: 'sign-out', device: id, name, can, address, result: 'done' });
  return Response.json({}, { headers: { 'Set-Cookie': dropCookie(own) } });
}

/** A browser's name as one short line of visible text, since it appears in terminals and records. */
export function nameOf(given: string): string {
  const name = visibleLine(given).replaceAll(/\s+/g, ' ').trim();
  return name === '' ? 'browser' : [...name].slice(0, MAX_NAME).join('').trim();
}

/** Counts and records a refused code; enough of them raise a card. */
export async function refuse(
  { place, failures, services, limits }: WebParts,
  address: string,
): Promise<void> {
  const count = failures.count(EVERYBODY);
  const { log, questions } = services;
  try {
    await writeAudit(place, { what: 'sign-in-refused', device: null, address, result: 'CODE_REFUSED' });
    if (count === limits.signInFailures && !(await isToldAlready(questions)))
      await questions.create([tried(count, address)], { asker: { agent: TELLER } });
  } catch (error) {
    // The refusal stands, whether it could be recorded or not.
    log.warn('web.refusal-not-told', { error: messageOf(error) });
  }
}

const TELLER = 'holdfast web';

/** One card is enough until a person has looked at it. */
async function isToldAlready(questions: QuestionSessions): Promise<boolean> {
  const views = await questions.listLive();
  return views.some(({ asker, outcome }) => outcome.status === 'pending' && asker?.agent === TELLER);
}

function tried(count: number, address: string) {
  return {
    title: 'Sign-in',
    prompt:
      `Somebody tried to sign in to the page with a wrong code, ${count} times within a minute, from ${visibleLine(address)}. ` +
      'Nobody got in. If it was not you: `holdfast web devices` shows who is signed in, `holdfast web stop` ends the page.',
    options: [{ label: 'It was me' }, { label: 'It was not me' }],
  };
}
