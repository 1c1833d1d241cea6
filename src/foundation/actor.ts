/**
 * Who did something: `cli`, `inbox`, `library`, `auq`, `mcp:<client>` and so on. It is recorded and shown, but proves
 * nothing: anyone who can write the file can write this too.
 */
export type Actor = string;

/** Actors without a name of their own. */
const PLAIN: readonly string[] = ['cli', 'inbox', 'top', 'hook', 'service', 'worker', 'library', 'auq'];
const NAMED = /^(mcp|page|fleet):./;

/** The actor we record for someone we do not know. */
export const OUTSIDE: Actor = 'outside';

/** The actor in a record; a word we do not know means an outsider. */
export function actorIn(recorded: string): Actor {
  return PLAIN.includes(recorded) || NAMED.test(recorded) ? recorded : OUTSIDE;
}

const MAX_CLIENT = 80;

/** The actor of a call over MCP, from the name the client gives itself. */
export function mcpActor(client: string | undefined): Actor {
  return client === undefined || client === '' ? 'mcp:unknown' : `mcp:${client.slice(0, MAX_CLIENT)}`;
}
