import { connect, createServer, type Socket } from 'node:net';

/** A point in the exchange between a program and its database. */
export interface Point {
  /** A part of the statement. */
  readonly statement: string;
  /** Something else it contains, such as an id; if absent, every such statement matches. */
  readonly about?: string;
  /** `after`: the database has executed and committed it, and its reply is on its way. */
  readonly when: 'before' | 'after';
}

/** A connection stopped at a point: nothing more of it gets through until it is released. */
export interface Held {
  /** The process id of the server's side. */
  readonly backend: number;
  /** Closes it towards both sides. */
  cut(): void;
  /** Lets it continue as if nothing had happened. */
  release(): void;
}

export type Direction = 'to the database' | 'from the database' | 'both';

/** A route to a database that can be stopped at a statement, cut, and silenced. */
export interface DatabaseProxy extends AsyncDisposable {
  readonly port: number;
  /** The address of the database through this route. */
  through(url: string): string;
  /** Resolves when a connection gets there. */
  holdAt(point: Point): Promise<Held>;
  /** From now on nothing gets through in that direction; data sent waits, as on a network that is down. */
  silence(direction: Direction): void;
  /** Cuts all current connections; new ones are refused at once, as by a server that is down. */
  refuse(): void;
  /** Delivers what was held back, late; refused clients may connect again. */
  heal(): void;
  cutAll(): void;
}

interface Waiting {
  readonly point: Point;
  reached(held: Held): void;
}

export async function databaseProxy(
  port: number,
  { host = '127.0.0.1', listen = '127.0.0.1' }: { readonly host?: string; readonly listen?: string } = {},
): Promise<DatabaseProxy> {
  const pipes = new Set<Pipe>();
  const waiting: Waiting[] = [];
  let silent: Direction | undefined;
  let isRefusing = false;
  const server = createServer((client) => {
    if (isRefusing) return void client.destroy();
    const pipe = new Pipe(client, connect(port, host), waiting, () => pipes.delete(pipe));
    pipe.silence(silent);
    pipes.add(pipe);
  });
  await new Promise<void>((resolve) => server.listen(0, listen, resolve));
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  const silence = (direction: Direction | undefined) => {
    silent = direction;
    for (const pipe of pipes) pipe.silence(direction);
  };
  const cutAll = () => {
    for (const pipe of [...pipes]) pipe.cut();
  };
  return {
    port: own,
    through: (url) => url.replace(`:${port}/`, `:${own}/`),
    holdAt: (point) => new Promise((reached) => waiting.push({ point, reached })),
    silence,
    refuse() {
      isRefusing = true;
      cutAll();
    },
    heal() {
      isRefusing = false;
      silence(undefined);
    },
    cutAll,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      cutAll();
      await closed;
    },
  };
}

/** One connection. Each side's bytes wait in their own queue while that direction is blocked. */
class Pipe {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #waiting: Waiting[];
  readonly #up: Buffer[] = [];
  readonly #down: Buffer[] = [];
  #silent: Direction | undefined;
  #isHeld = false;
  #after: Waiting | undefined;
  #backend = 0;

  constructor(client: Socket, server: Socket, waiting: Waiting[], onEnd: () => void) {
    this.#client = client;
    this.#server = server;
    this.#waiting = waiting;
    for (const [socket, take] of [
      [client, (data: Buffer) => this.#fromClient(data)],
      [server, (data: Buffer) => this.#fromServer(data)],
    ] as const) {
      socket.on('data', take);
      socket.on('error', () => {});
      socket.on('close', () => {
        onEnd();
        this.#ended(socket);
      });
    }
  }

  silence(direction: Direction | undefined): void {
    this.#silent = direction;
    this.#flush();
  }

  cut(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #fromClient(data: Buffer): void {
    const at = this.#waiting.findIndex(
      ({ point: { statement, about = '' } }) => data.includes(statement) && data.includes(about),
    );
    const [found] = at === -1 ? [] : this.#waiting.splice(at, 1);
    this.#up.push(data);
    if (found?.point.when === 'before') this.#hold(found);
    else {
      this.#after ??= found;
      this.#flush();
    }
  }

  #fromServer(data: Buffer): void {
    this.#noteBackend(data);
    this.#down.push(data);
    if (this.#after !== undefined && isReady(data)) {
      const found = this.#after;
      this.#after = undefined;
      this.#hold(found);
    } else this.#flush();
  }

  #hold({ reached }: Waiting): void {
    this.#isHeld = true;
    reached({
      backend: this.#backend,
      cut: () => this.cut(),
      release: () => {
        this.#isHeld = false;
        this.#flush();
      },
    });
  }

  #flush(): void {
    if (this.#isHeld) return;
    if (this.#silent !== 'both' && this.#silent !== 'to the database')
      for (const data of this.#up.splice(0)) this.#server.write(data);
    if (this.#silent !== 'both' && this.#silent !== 'from the database')
      for (const data of this.#down.splice(0)) this.#client.write(data);
  }

  /** What a side sent before it closed still gets through, unless the direction is blocked. */
  #ended(socket: Socket): void {
    if (this.#isHeld) return;
    const other = socket === this.#client ? this.#server : this.#client;
    const way = socket === this.#client ? 'to the database' : 'from the database';
    if (this.#silent === undefined || (this.#silent !== 'both' && this.#silent !== way)) other.end();
  }

  /** BackendKeyData comes once, after the password. */
  #noteBackend(data: Buffer): void {
    const at = this.#backend === 0 ? data.indexOf(Buffer.from([0x4b, 0, 0, 0, 12])) : -1;
    if (at !== -1 && data.length >= at + 9) this.#backend = data.readInt32BE(at + 5);
  }
}

/** Whether it ends with ReadyForQuery: the query is done. */
function isReady(data: Buffer): boolean {
  return (
    data.length >= 6 && data.readUInt8(data.length - 6) === 0x5a && data.readInt32BE(data.length - 5) === 5
  );
}
