/** Setting up agent clients needs parsers that no other command needs: a chunk of its own. */
export function loadClientSetup(): Promise<typeof import('./client-setup.js')> {
  return import('./client-setup.js');
}
