import { cipherSuites } from './protocols/cipher-suites.ts';
import { hecs4mqtt } from './protocols/hecs4mqtt.ts';
import type { Protocol } from './protocols/protocol.ts';
import { rpiBroker } from './protocols/rpi-broker.ts';
import { stabilityAware } from './protocols/stability-aware.ts';
import { v2xTls } from './protocols/v2x-tls.ts';

/** Every study that is a protocol, in the order of the gallery. A new one is one file plus one line here. */
export const protocols: readonly Protocol[] = [rpiBroker, cipherSuites, v2xTls, stabilityAware, hecs4mqtt];

/** undefined for an id that is not in the catalogue. */
export function findProtocol(id: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.id === id);
}
