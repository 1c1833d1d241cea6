export { runDemo } from './demo.js';
export { findPostgres, NoDatabaseError, startDatabase } from './demo-database.js';
export { type AskedHere, runFleetDemo } from './fleet-demo.js';
