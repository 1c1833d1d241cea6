/** Setting up agent clients needs parsers that no other command needs: a chunk of its own. */
export function loadClientSetup(): Promise<typeof import('./setup-client.js')> {
  return import('./setup-client.js');
}
