import pg from 'pg';

/** The one door to the package: its own chunk, loaded when a connection is opened and not before. */
export const { Client } = pg;
