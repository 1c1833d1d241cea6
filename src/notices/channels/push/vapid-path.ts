import { join } from 'node:path';

/** The file with the keys that identify us to push services. Without it no browser has ever asked how to subscribe. */
export function vapidPath(webDirectory: string): string {
  return join(webDirectory, 'vapid.json');
}
