import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP relay on loopback that records every byte of its connections. */
export class WireTap {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  port = 0;
  bytesFromClient = 0;
  bytesFromServer = 0;
  connections = 0;
  /** First bytes from the server of the last connection. */
  firstFromServer: Buffer = Buffer.alloc(0);

  constructor(target: number) {
    this.#target = target;
  }

  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#relay(client));
      this.#server.listen(0, '127.0.0.1', () => {
        const bound = this.#server?.address() ?? null;
        this.port = bound !== null && typeof bound === 'object' ? bound.port : 0;
        resolve();
      });
    });
  }

  /** Closes every connection immediately. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  stop(): void {
    this.#server?.close();
    this.cut();
  }

  #relay(client: Socket): void {
    const server = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.connections += 1;
    this.bytesFromClient = 0;
    this.bytesFromServer = 0;
    this.firstFromServer = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      this.bytesFromClient += chunk.length;
    });
    server.on('data', (chunk: Buffer) => {
      this.bytesFromServer += chunk.length;
      if (this.firstFromServer.length < 8_192)
        this.firstFromServer = Buffer.concat([this.firstFromServer, chunk]);
    });
    client.pipe(server);
    server.pipe(client);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
    }
  }
}
