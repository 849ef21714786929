import { once } from 'node:events';
import { createServer } from 'node:net';
import {
  type BrokerPorts,
  describeBrokerPorts,
  listBrokerPorts,
} from '@mqttlab/shared/domain/devices/broker-ports';
import { systemCodeOf } from '@mqttlab/shared/domain/runs/system-failure';
import { Failure } from '@mqttlab/shared/kit/failure';

/** Address and port range on which a broker listens; without a range, any free port. */
interface Place {
  address: string;
  ports?: BrokerPorts | undefined;
}

/**
 * Calls `listen` with the ports in the range, one after the other, until it succeeds; without a range, once
 * with port 0. Begins at a random port, so that consecutive runs rarely use the same port. Throws Failure
 * 'ports-taken' if every port is in use, and passes on other errors from `listen`.
 */
export async function listenOnFreePort<T>(
  { address, ports }: Place,
  listen: (port: number) => Promise<T>,
): Promise<T> {
  if (ports === undefined) return await listen(0);
  for (const port of listBrokerPorts(ports, Math.random())) {
    try {
      return await listen(port);
    } catch (error) {
      if (systemCodeOf(error) !== 'EADDRINUSE') throw error;
    }
  }
  const range = describeBrokerPorts(ports);
  throw new Failure({
    code: 'ports-taken',
    message:
      ports.first === ports.last
        ? `Port ${range} on ${address} is in use by another program. It is the only port for this testbed's brokers.`
        : `All broker ports of this testbed, ${range}, are in use on ${address}.`,
    remedy:
      'Stop the programs that use them, or set a larger range under "Broker ports" for the testbed on the Devices page.',
  });
}

/** Returns a TCP port that is currently free. Throws the same errors as `listenOnFreePort`. */
export function pickFreePort(address: string, ports?: BrokerPorts): Promise<number> {
  return listenOnFreePort({ address, ports }, async (wanted) => {
    const server = createServer();
    server.listen(wanted, address);
    await once(server, 'listening');
    const bound = server.address();
    server.close();
    await once(server, 'close');
    if (bound === null || typeof bound === 'string') throw new Error(`No port on ${address}`);
    return bound.port;
  });
}
