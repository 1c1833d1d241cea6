import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import { type Clock, type Logger, messageOf } from '../foundation/index.js';
import { type FileSystem, readUserFile } from '../storage/index.js';
import { type HubAddress, type HubHost, isLocal, tlsFor } from './address.js';
import { describeFailure } from './describe-failure.js';
import { FleetAddressError, FleetRefusedError, FleetUnreachableError } from './errors.js';

export interface ConnectOptions {
  readonly address: HubAddress;
  /** The password for a host; undefined if none is known. */
  readonly passwordFor: (host: HubHost) => string | undefined;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long one host may take to answer. */
  readonly timeoutMs?: number | undefined;
}

type Row = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 10_000;
const GOODBYE_MS = 1_000;

/** Opens the first host in the list that accepts writes. Throws FLEET_UNREACHABLE, FLEET_REFUSED, FLEET_ADDRESS_INVALID. */
export async function connect(options: ConnectOptions): Promise<HubConnection> {
  const { hosts } = options.address;
  const refusals: string[] = [];
  for (const host of hosts) {
    try {
      return await connectTo(options, host);
    } catch (error) {
      // A wrong password or certificate at one host is reported, not skipped.
      if (!(error instanceof FleetUnreachableError)) throw error;
      refusals.push(error.reason);
    }
  }
  throw new FleetUnreachableError([...new Set(refusals)].join('; '));
}

async function connectTo(options: ConnectOptions, host: HubHost): Promise<HubConnection> {
  const { address, timeoutMs = TIMEOUT_MS, log } = options;
  // Every option is given, so no environment variable decides instead.
  const config: ClientConfig = {
    host: host.host,
    port: host.port,
    user: address.user,
    database: address.database,
    password: options.passwordFor(host) ?? '',
    ssl: tlsOptions(options, host),
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'holdfast',
    keepAlive: true,
  };
  const { Client: PgClient } = await import('./driver.js');
  const client = new PgClient(config);
  const connection = new HubConnection(client, host, options.clock, log);
  try {
    await client.connect();
    const [facts] = await connection.rows(
      `select pg_is_in_recovery() as is_standby, current_setting('synchronous_commit') as sync`,
    );
    if (facts?.is_standby === true) throw new FleetUnreachableError(`${placeOf(host)} is a standby`);
    if (facts?.sync === 'off')
      throw new FleetRefusedError(
        'synchronous_commit is off for this role, so what it acknowledges can be lost',
        `Ask the owner of the database: alter role "${address.user}" reset synchronous_commit;`,
      );
    return connection;
  } catch (error) {
    await connection.close();
    throw describeFailure(error, placeOf(host));
  }
}

export function placeOf({ host, port }: HubHost): string {
  return `${host}:${port}`;
}

function tlsOptions({ address, fileSystem }: ConnectOptions, host: HubHost): ClientConfig['ssl'] {
  const mode = tlsFor(address, host);
  if (mode === 'disable' || host.host.startsWith('/')) return false;
  const file = (name: string, path: string | undefined) => {
    if (path === undefined) return {};
    const content = readUserFile(fileSystem, path);
    if (content === undefined) throw new FleetAddressError(`there is no file ${path}`);
    return { [name]: content };
  };
  return {
    ...file('ca', address.rootCertificate),
    ...file('cert', address.certificate),
    ...file('key', address.key),
    rejectUnauthorized: mode !== 'require',
    // The name is what verify-full adds. It is passed here because for an IP address Node would check `localhost`.
    checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
      mode === 'verify-full' ? checkServerIdentity(host.host, certificate) : undefined,
  };
}

/** Something that is called back until this is closed. */
export interface Listening extends Disposable {
  close(): void;
}

/** One connection: runs statements one after the other and receives the database's notifications. */
export class HubConnection implements AsyncDisposable {
  readonly host: HubHost;
  readonly log: Logger;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  /** The channels on which the server has us listening. */
  readonly #heard = new Set<string>();
  readonly #ends = new Set<() => void>();
  #isOpen = true;
  /** Several parts of a process share a connection, and the driver takes one statement at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: Client, host: HubHost, clock: Clock, log: Logger) {
    this.#client = client;
    this.host = host;
    this.#clock = clock;
    this.log = log;
    client.on('error', (error) => this.#end(error));
    client.on('end', () => this.#end());
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(payload ?? '');
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isLocal(): boolean {
    return isLocal(this.host);
  }

  /** Runs a statement and returns its rows. Throws FLEET_UNREACHABLE, FLEET_REFUSED, FLEET_RULE, FLEET_SCHEMA. */
  async rows(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { rows } = await this.#ask(() => this.#client.query<Row>(sql, [...values]));
    return rows;
  }

  /** Several statements in one transaction, for migrations. Throws as `rows`. */
  async script(sql: string): Promise<void> {
    await this.#ask(() => this.#client.query(sql));
  }

  async #ask<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
    try {
      return await this.#inTurn(ask);
    } catch (error) {
      const failure = describeFailure(error, placeOf(this.host));
      // A reply that timed out may still arrive: no other statement may mistake it for its own.
      if (failure instanceof FleetUnreachableError && this.#isOpen) {
        this.#end();
        this.#drop();
      }
      throw failure;
    }
  }

  #inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
    const asked = this.#last.then(() => {
      if (!this.#isOpen) throw new FleetUnreachableError('the connection was cut');
      return ask();
    });
    this.#last = asked.catch(() => {});
    return asked;
  }

  /** Calls back for each notification on a channel from now on, until closed. */
  async listen(channel: string, onCall: (payload: string) => void): Promise<Listening> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners);
    const listening = listeningIn(listeners, onCall);
    if (this.#heard.has(channel)) return listening;
    try {
      // Channel names are ours: letters, digits and underscores.
      await this.script(`listen ${channel}`);
      this.#heard.add(channel);
      return listening;
    } catch (error) {
      listening.close();
      throw error;
    }
  }

  /**
   * Whether a notification sent by another connection arrives here. A pooler that shares connections loses it. One's
   * own notification proves nothing, because it comes back with the reply.
   */
  async hears(channel: string, other: HubConnection, withinMs: number): Promise<boolean> {
    const nonce = `probe ${this.#clock.now().getTime()} ${Math.random()}`;
    const timer = new AbortController();
    const listeners = this.#listeners.get(channel);
    let listener = (_payload: string) => {};
    const heard = new Promise<boolean>((resolve) => {
      listener = (payload) => {
        if (payload === nonce) resolve(true);
      };
      void this.#clock.sleep(withinMs, timer.signal).then(
        () => resolve(false),
        () => resolve(false),
      );
    });
    listeners?.add(listener);
    try {
      await other.rows('select pg_notify($1, $2)', [channel, nonce]);
      return await heard;
    } finally {
      timer.abort();
      listeners?.delete(listener);
    }
  }

  /** Calls back once when the connection is gone, unless closed before. */
  onEnd(listener: () => void): Listening {
    if (!this.#isOpen) listener();
    return listeningIn(this.#ends, listener);
  }

  /** Says nothing to the server, because it does not answer. */
  #drop(): void {
    const { connection } = this.#client as unknown as { connection?: { stream?: { destroy(): void } } };
    connection?.stream?.destroy();
  }

  #end(error?: Error): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (error !== undefined) this.log.debug('hub.cut', { error: messageOf(error) });
    for (const listener of this.#ends) listener();
  }

  /** Never throws and never waits long: a server that does not answer is left behind. */
  async close(): Promise<void> {
    const wasOpen = this.#isOpen;
    this.#end();
    const goodbye = new AbortController();
    const ended = wasOpen ? this.#client.end() : Promise.resolve();
    const patience = this.#clock.sleep(GOODBYE_MS, goodbye.signal);
    await Promise.race([ended, patience]).catch(() => {
      // The connection was cut in the meantime.
    });
    goodbye.abort();
    patience.catch(() => {});
    this.#drop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function listeningIn<Listener>(listeners: Set<Listener>, listener: Listener): Listening {
  listeners.add(listener);
  const close = () => void listeners.delete(listener);
  return { close, [Symbol.dispose]: close };
}
