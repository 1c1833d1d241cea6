import { KEPT_MS } from '../files/devices.js';
import type { OwnOrigin } from './own-origins.js';

/** This origin's cookie in a request. If several have its name, none counts: at least one of them is not ours. */
export function cookieIn(header: string | undefined, { cookieName }: OwnOrigin): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [name, ...rest] = pair.trim().split('=');
    return name === cookieName ? [rest.join('=')] : [];
  });
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}

/** The header that sets the cookie: for this host only, out of reach of scripts, and never sent from another site. */
export function setCookie({ cookieName, isSecure }: OwnOrigin, value: string): string {
  return `${cookieName}=${value}; ${ATTRIBUTES}; Max-Age=${KEPT_MS / 1_000}${isSecure ? '; Secure' : ''}`;
}

/** The header that removes the cookie. */
export function dropCookie({ cookieName, isSecure }: OwnOrigin): string {
  return `${cookieName}=; ${ATTRIBUTES}; Max-Age=0${isSecure ? '; Secure' : ''}`;
}

const ATTRIBUTES = 'HttpOnly; SameSite=Strict; Path=/';
