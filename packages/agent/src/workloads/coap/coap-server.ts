import * as z from 'zod';
import type { Broker, BrokerOptions, ProgramEntry } from '../../brokers/broker.ts';
import { ChildBroker } from '../../brokers/child-broker.ts';

/** What the agent tells its CoAP server over IPC, once. */
export const coapListenSchema = z.strictObject({ address: z.string() });
export type CoapListen = z.infer<typeof coapListenSchema>;

/** Version of the bundled coap package; said here so that the agent need not load it. */
const coapVersion = '1.5.0';

/** What takes the place of the broker where messages travel by CoAP: a server in a process of its own. */
export function makeCoapServer(entry: ProgramEntry, options: BrokerOptions): Broker {
  const listen: CoapListen = { address: options.address };
  return new ChildBroker({
    ...options,
    entry,
    mode: 'coap-server',
    kind: 'CoAP server',
    version: coapVersion,
    name: 'The CoAP server',
    listen,
    facts: { 'broker.configuration': `coap ${coapVersion} (npm), UDP, responses with the acknowledgement` },
  });
}
