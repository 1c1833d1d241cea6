import { join } from 'node:path';

/** Where the keys are that push services know us by; without the file no browser ever asked how to subscribe. */
export function vapidPath(webDirectory: string): string {
  return join(webDirectory, 'vapid.json');
}
