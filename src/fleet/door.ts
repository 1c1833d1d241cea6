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
  /** How long one host may take. */
  readonly timeoutMs?: number | undefined;
  /** For what makes the schema, or says what is wrong with it. */
  readonly isAnySchema?: boolean | undefined;
}

const PROBE_MS = 2_000;

/** The way to the hub: opened when it is first needed, and again after it was cut. */
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

  /** The connection that is there, or a new one. Throws FLEET_UNREACHABLE, FLEET_REFUSED, FLEET_SCHEMA. */
  async open(options: OpenOptions = {}): Promise<Hub> {
    // Nothing is awaited between the last look and the new one: of two who come at once, one opens and both have it.
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

  /** Whether what is called out on a channel arrives at a connection that listens to it. */
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
      // As every program of PostgreSQL does: a file that others can read is not looked at.
      log.warn('fleet.password-file-ignored', { path: passwordFile });
      return undefined;
    }
  }

  /** For good: whoever is still at it is told that it cannot be reached. */
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
