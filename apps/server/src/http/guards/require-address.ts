import { lookup } from 'node:dns/promises';
import { judgeHost } from '@mqttlab/shared/domain/devices/network-address';
import { unprocessable } from '../../base/errors.ts';

/**
 * Throws a 422 problem that names the field where a host is, or its name leads to, a link-local or metadata address.
 * Names that are not known here are taken: devices may know them, and look again before they connect.
 */
export async function requireAddress(host: string, field: string): Promise<void> {
  const found = await lookup(host, { all: true }).catch(() => []);
  const why = judgeHost(
    host,
    found.map(({ address }) => address),
  );
  if (why) throw unprocessable('The address cannot be set.', [{ field, ...why }]);
}
