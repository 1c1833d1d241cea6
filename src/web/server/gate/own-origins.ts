/** An origin under which this server is reached, and what follows from it. */
export interface OwnOrigin {
  /** As a browser spells it, such as `http://hf-3k2j9x0a.localhost:4711`. */
  readonly origin: string;
  /** What stands in the Host header. */
  readonly host: string;
  readonly isSecure: boolean;
  /** Whether a proxy stands before us, whose word about addresses is believed. */
  readonly isBehind: boolean;
  readonly cookieName: string;
}

/** Everything that this server is called; the first is the one that links are made for. */
export class OwnOrigins {
  readonly all: readonly OwnOrigin[];
  readonly #byHost: ReadonlyMap<string, OwnOrigin>;

  constructor(origins: readonly { readonly origin: string; readonly isBehind: boolean }[]) {
    this.all = origins.map(({ origin, isBehind }) => ownOrigin(origin, isBehind));
    this.#byHost = new Map(this.all.map((own) => [own.host, own]));
  }

  /** The origin that a Host header means; names are compared whole, so that a name that points here is not enough. */
  of(host: string | undefined): OwnOrigin | undefined {
    return host === undefined ? undefined : this.#byHost.get(host.toLowerCase());
  }
}

function ownOrigin(text: string, isBehind: boolean): OwnOrigin {
  const { origin, host, protocol, port } = new URL(text);
  const isSecure = protocol === 'https:';
  const number = port === '' ? (isSecure ? '443' : '80') : port;
  // Cookies are shared between ports: each has its own name, and the prefix keeps other hosts and plain http away from it.
  const cookieName = `${isSecure ? '__Host-' : ''}hf_${number}`;
  return { origin, host, isSecure, isBehind, cookieName };
}
