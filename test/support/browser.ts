import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM } from './chromium.js';

/** Without these the browser contacts its maker's hosts at every start. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
];

/** A real browser; every test opens its own contexts in it. Tests that use it need `chromium` (it-needs.ts). */
export async function launchBrowser(): Promise<Browser> {
  // Its sandbox does not start as root.
  const sandbox = process.geteuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: [...QUIET, ...sandbox] });
}
