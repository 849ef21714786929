import { isIPv6 } from 'node:net';
import type { Flow } from '@mqttlab/shared/domain/plans/impairment';

/** The broker of one Run: nothing but the traffic of this address and port is ever touched. */
export interface Endpoint {
  address: string;
  port: number;
}

/** IP protocol numbers: TCP, and UDP for CoAP. */
const transports = ['6', '17'] as const;

/** Filters of tc-u32(8) that select one direction; they count on IP headers without options, as these packets have. */
export function u32Matches(flow: Flow, { address, port }: Endpoint): string[][] {
  const isNew = isIPv6(address);
  const [ip, bits] = isNew ? ['ip6', 128] : ['ip', 32];
  const [where, portName] = flow === 'towards the broker' ? ['dst', 'dport'] : ['src', 'sport'];
  return transports.map((transport) => [
    'protocol',
    isNew ? 'ipv6' : 'ip',
    'prio',
    isNew ? '2' : '1',
    'u32',
    'match',
    ip,
    'protocol',
    transport,
    '0xff',
    'match',
    ip,
    where,
    `${address}/${bits}`,
    'match',
    ip,
    portName,
    String(port),
    '0xffff',
  ]);
}

/** The same for nft(8). */
export function nftMatch(flow: Flow, { address, port }: Endpoint): string {
  const ip = isIPv6(address) ? 'ip6' : 'ip';
  const [where, portName] = flow === 'towards the broker' ? ['daddr', 'dport'] : ['saddr', 'sport'];
  return `${ip} ${where} ${address} meta l4proto { tcp, udp } th ${portName} ${port}`;
}
