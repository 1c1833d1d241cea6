// What commands need apart from the server itself, which is in `serve.ts`: nothing here listens.
export { LinkRefusedError, NotPairedError, WebNotRunningError } from './errors.js';
export { writeAudit } from './files/audit.js';
export { issueCode } from './files/codes.js';
export { listDevices, revokeDevice, revokeDevices } from './files/devices.js';
export { writeLauncher } from './files/launcher.js';
export {
  decidePairing,
  endPairing,
  issuePairing,
  MAX_TRIES,
  type PairingRequest,
  pairingState,
  watchPairing,
} from './files/pairing.js';
export { askToStop, type KnownServer, listServers } from './files/servers.js';
export { type WebPlace, webPlace } from './files/web-place.js';
