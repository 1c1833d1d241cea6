import type { Clock, Logger } from '../foundation/index.js';
import {
  assertFits,
  connect,
  FleetUnreachableError,
  Hub,
  type HubAddress,
  type HubConnection,
  type HubHost,
  passwordIn,
  readFleet,
  readSecretFile,
} from '../hub/index.js';
import { type FileSystem, UnsafePathError } from '../storage/index.js';

export interface DoorOptions {
  readonly address: HubAddress;
  /** `~/.pgpass`. */
  readonly passwordFile: string;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface OpenOptions {
  /** How long one host may take to answer. */
  readonly timeoutMs?: number | undefined;
  /** Accepts any schema: for creating the schema, or for saying what is wrong with it. */
  readonly isAnySchema?: boolean | undefined;
}

const PROBE_MS = 2_000;

/** The way to the hub: opened when first needed, and again after it was cut. */
export class Door implements AsyncDisposable {
  readonly #options: DoorOptions;
  #opening: Promise<Hub> | undefined;
  #isClosed = false;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get address(): HubAddress {
    return this.#options.address;
  }

  /** The current connection, or a new one. Throws FLEET_UNREACHABLE, FLEET_REFUSED, FLEET_SCHEMA. */
  async open(options: OpenOptions = {}): Promise<Hub> {
    // Nothing is awaited between the last check and the new connection: of two callers at once, one opens and both get
    // it.
    while (this.#opening !== undefined) {
      const opening: Promise<Hub> = this.#opening;
      const before = await opening.catch(() => undefined);
      if (before?.connection.isOpen) return before;
      if (this.#opening === opening) this.#opening = undefined;
    }
    if (this.#isClosed) throw new FleetUnreachableError('the connection was closed');
    this.#opening = this.#openNow(options);
    return this.#opening;
  }

  /** Whether a notification on a channel arrives at a connection that listens to it. */
  async isHeard({ connection }: Hub, channel: string): Promise<boolean> {
    await using other = await this.#connect();
    return await connection.hears(channel, other, PROBE_MS);
  }

  #connect(timeoutMs?: number): Promise<HubConnection> {
    const { address, fileSystem, clock, log } = this.#options;
    const passwordFor = (host: HubHost) => address.password ?? this.#fromFile(host);
    return connect({ address, passwordFor, fileSystem, clock, log, timeoutMs });
  }

  async #openNow({ timeoutMs, isAnySchema = false }: OpenOptions): Promise<Hub> {
    const connection = await this.#connect(timeoutMs);
    try {
      if (!isAnySchema) assertFits(await readFleet(connection));
    } catch (error) {
      await connection.close();
      throw error;
    }
    return new Hub(connection);
  }

  #fromFile(host: HubHost): string | undefined {
    const { fileSystem, passwordFile, address, log } = this.#options;
    try {
      const text = readSecretFile(fileSystem, passwordFile);
      return text === undefined ? undefined : passwordIn(text, host, address);
    } catch (error) {
      if (!(error instanceof UnsafePathError)) throw error;
      // As every PostgreSQL program does: a file that others can read is ignored.
      log.warn('fleet.password-file-ignored', { path: passwordFile });
      return undefined;
    }
  }

  /** Closes it for good: calls still under way are told that the hub cannot be reached. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const hub = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    await hub?.connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
