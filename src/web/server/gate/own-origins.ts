/** An origin under which this server can be reached, and what follows from it. */
export interface OwnOrigin {
  /** As a browser writes it, such as `http://hf-3k2j9x0a.localhost:4711`. */
  readonly origin: string;
  /** The value of the Host header. */
  readonly host: string;
  readonly isSecure: boolean;
  /** Whether a proxy stands in front of us, whose word about addresses is trusted. */
  readonly isBehind: boolean;
  readonly cookieName: string;
}

/** All origins of this server; the first one is used in links. */
export class OwnOrigins {
  readonly all: readonly OwnOrigin[];
  readonly #byHost: ReadonlyMap<string, OwnOrigin>;

  constructor(origins: readonly { readonly origin: string; readonly isBehind: boolean }[]) {
    this.all = origins.map(({ origin, isBehind }) => ownOrigin(origin, isBehind));
    this.#byHost = new Map(this.all.map((own) => [own.host, own]));
  }

  /** The origin that a Host header names. Names are compared in full, so a foreign name that points here is not enough. */
  of(host: string | undefined): OwnOrigin | undefined {
    return host === undefined ? undefined : this.#byHost.get(host.toLowerCase());
  }
}

function ownOrigin(text: string, isBehind: boolean): OwnOrigin {
  const { origin, host, protocol, port } = new URL(text);
  const isSecure = protocol === 'https:';
  const number = port === '' ? (isSecure ? '443' : '80') : port;
  // Cookies are shared between ports, so each port has its own name; the prefix keeps other hosts and plain http out.
  const cookieName = `${isSecure ? '__Host-' : ''}hf_${number}`;
  return { origin, host, isSecure, isBehind, cookieName };
}
