/**
 * Who did something: `cli`, `inbox`, `library`, `auq`, `mcp:<client>` and so on. It is written down and shown; it proves
 * nothing, because whoever can write the file can write this as well.
 */
export type Actor = string;

/** Those without a name behind them. */
const PLAIN: readonly string[] = ['cli', 'inbox', 'top', 'hook', 'service', 'worker', 'library', 'auq'];
const NAMED = /^(mcp|page|fleet):./;

/** What we say of somebody whom we do not know. */
export const OUTSIDE: Actor = 'outside';

/** The actor in a record: a word that we do not know is somebody outside. */
export function actorIn(recorded: string): Actor {
  return PLAIN.includes(recorded) || NAMED.test(recorded) ? recorded : OUTSIDE;
}

const MAX_CLIENT = 80;

/** The actor behind a call over MCP, by what the client calls itself. */
export function mcpActor(client: string | undefined): Actor {
  return client === undefined || client === '' ? 'mcp:unknown' : `mcp:${client.slice(0, MAX_CLIENT)}`;
}
