import { createServer, connect as open, type Server, type Socket } from 'node:net';

/** Sits between a client and its database; cuts connections or blocks all traffic, as the test wants. */
export class CuttingProxy implements AsyncDisposable {
  readonly port: number;
  /** How many connections were cut while a reply was on its way. */
  cuts = 0;
  /** Called for each reply; if true, the client never gets it and both ends are closed. */
  shouldCut: (reply: Buffer) => boolean = () => false;
  /** Nothing gets through in either direction, and neither side is notified. */
  isSwallowing = false;
  /** How long replies are delayed. */
  delayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async to(target: number): Promise<CuttingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const address = server.address();
    const proxy = new CuttingProxy(
      server,
      typeof address === 'object' && address !== null ? address.port : 0,
    );
    server.on('connection', (client) => proxy.#join(client, open({ port: target, host: '127.0.0.1' })));
    return proxy;
  }

  /** Cuts all current connections. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket, server: Socket): void {
    const both = [client, server];
    const drop = () => {
      for (const socket of both) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of both) {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.on('error', drop);
      socket.on('close', drop);
    }
    client.on('data', (request) => {
      if (!this.isSwallowing) server.write(request);
    });
    server.on('data', (reply) => {
      if (this.isSwallowing) return;
      // The server has executed it and answered: what was committed is committed.
      if (this.shouldCut(reply)) {
        this.cuts += 1;
        drop();
      } else if (this.delayMs > 0) setTimeout(() => client.write(reply), this.delayMs);
      else client.write(reply);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutAll();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
