export { type DemoOptions, runDemo } from './demo.js';
export { findPostgres, NoDatabaseError, startDatabase } from './demo-database.js';
export { type AskedHere, type FleetDemoOptions, runFleetDemo } from './fleet-demo.js';
