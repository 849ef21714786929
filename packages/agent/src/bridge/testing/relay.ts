import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  port: number;
  /** Ends every connection through it. New ones are forwarded at once, or after `until` resolves. */
  cut: (until?: Promise<void>) => void;
  /** Silently forwards nothing more on the current connections. */
  stall: () => void;
  /** Every byte in one direction, connection after connection. */
  seen: Readonly<Record<'toBroker' | 'fromBroker', Buffer[]>>;
  stop: () => void;
}

/** A relay between a bridge and a broker, to break their connection in several ways. */
export async function startRelay(brokerPort: number): Promise<Relay> {
  const pairs = new Set<{ client: Socket; broker: Socket }>();
  const seen = { toBroker: [] as Buffer[], fromBroker: [] as Buffer[] };
  let reopened: Promise<void> | null = null;
  const forward = (client: Socket) => {
    const broker = connect(brokerPort, '127.0.0.1');
    const pair = { client, broker };
    pairs.add(pair);
    for (const socket of [client, broker]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        broker.destroy();
        pairs.delete(pair);
      });
    }
    client.on('data', (chunk) => seen.toBroker.push(Buffer.from(chunk)));
    broker.on('data', (chunk) => seen.fromBroker.push(Buffer.from(chunk)));
    client.pipe(broker);
    broker.pipe(client);
  };
  const server = createServer((client) => {
    client.on('error', () => {});
    if (reopened === null) forward(client);
    else void reopened.then(() => forward(client));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const cut = (until?: Promise<void>): void => {
    if (until !== undefined) {
      const reopening = until.then(() => {
        if (reopened === reopening) reopened = null;
      });
      reopened = reopening;
    }
    for (const { client, broker } of pairs) {
      client.destroy();
      broker.destroy();
    }
  };
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    cut,
    seen,
    stall() {
      for (const { client, broker } of pairs) {
        client.unpipe();
        broker.unpipe();
        client.pause();
        broker.pause();
      }
    },
    stop() {
      server.close();
      cut();
    },
  };
}
