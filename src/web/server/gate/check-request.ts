import { KEY_HEADER } from '../../contract/index.js';
import { ForeignOriginError, KeyRefusedError, NotSignedInError } from '../errors.js';
import { type Device, deviceOf } from '../files/devices.js';
import type { WebPlace } from '../files/web-place.js';
import { cookieIn } from './cookie.js';
import type { OwnOrigin } from './own-origins.js';
import { isSecretOf } from './secrets.js';

/**
 * Refuses requests from other pages. A write must say that it comes from this very origin; a write that does not say where
 * it comes from is refused too. Throws FOREIGN_ORIGIN.
 */
export function assertOwnPage(request: Request, { origin }: OwnOrigin): void {
  const isRead = request.method === 'GET';
  const from = request.headers.get('origin');
  if (!isRead && from === null) throw new ForeignOriginError('it does not say which page it comes from');
  if (from !== null && from !== origin) throw new ForeignOriginError('it comes from another page');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') throw new ForeignOriginError('it comes from another site');
}

/** The sender of a request, by cookie and key of one device signed in at this origin. Throws NOT_SIGNED_IN, KEY_REFUSED. */
export function signedInDevice(place: WebPlace, request: Request, own: OwnOrigin): Device {
  const cookie = cookieIn(request.headers.get('cookie') ?? undefined, own);
  const key = request.headers.get(KEY_HEADER);
  if (cookie === undefined && key === null) throw new NotSignedInError();
  if (cookie === undefined || key === null) throw new KeyRefusedError();
  const device = deviceOf(place, cookie);
  if (device === undefined || device.origin !== own.origin) throw new NotSignedInError();
  if (!isSecretOf(key, device.keyHash)) throw new KeyRefusedError();
  return device;
}
