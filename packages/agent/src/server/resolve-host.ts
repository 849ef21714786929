import { lookup } from 'node:dns/promises';
import { judgeHost } from '@mqttlab/shared/domain/devices/network-address';

/**
 * The address to connect to. Throws the reason in words where the name leads to a link-local or metadata address:
 * whoever set it may not look around in the network of this device.
 */
export async function resolveHost(host: string): Promise<{ address: string; family: number }> {
  const found = await lookup(host, { all: true });
  const why = judgeHost(
    host,
    found.map(({ address }) => address),
  );
  if (why) throw new Error(why.reason);
  const [first] = found;
  if (first === undefined) throw new Error(`${host} has no address`);
  return first;
}
