// What the scripts of this folder call of Holdfast and of its tests, bundled by `lib.mjs`.
export { createServices } from '../../src/app/base.js';
export { holdFleetLink, openFleet, openFleetQuestions } from '../../src/app/fleet/open-fleet.js';
export { silentLogger, systemClock } from '../../src/foundation/index.js';
export { connect, Hub, migrate, parseAddress } from '../../src/hub/index.js';
export { nodeFileSystem } from '../../src/storage/index.js';
export { answerAll, nothingTold } from '../../test/support/failover-load.js';
export { fleetWorld, inboxOf, linked } from '../../test/support/fleet-world.js';
export { cluster } from '../../test/support/postgres.js';
export { killWhole, standbyOf } from '../../test/support/postgres-standby.js';
