import pg from 'pg';

/** The only access to the package. It is a chunk of its own, loaded only when a connection is opened. */
export const { Client } = pg;
