import { isIPv6 } from 'node:net';
import type { Flow } from '@mqttlab/shared/domain/impairment';

/** The broker of one Run: nothing but the traffic of this address and port is ever touched. */
export interface Endpoint {
  address: string;
  port: number;
}

/** Selects one direction of the traffic for tc-u32(8); it counts on IP headers without options, as TCP here has them. */
export function u32Match(flow: Flow, { address, port }: Endpoint): string[] {
  const [ip, where] = [isIPv6(address) ? 'ip6' : 'ip', flow === 'towards the broker' ? 'dst' : 'src'];
  const portName = flow === 'towards the broker' ? 'dport' : 'sport';
  const bits = ip === 'ip6' ? 128 : 32;
  return [
    ...['protocol', ip === 'ip6' ? 'ipv6' : 'ip', 'prio', ip === 'ip6' ? '2' : '1', 'u32'],
    ...['match', ip, 'protocol', '6', '0xff'],
    ...['match', ip, where, `${address}/${bits}`],
    ...['match', ip, portName, String(port), '0xffff'],
  ];
}

/** The same for nft(8). */
export function nftMatch(flow: Flow, { address, port }: Endpoint): string {
  const ip = isIPv6(address) ? 'ip6' : 'ip';
  return flow === 'towards the broker'
    ? `${ip} daddr ${address} tcp dport ${port}`
    : `${ip} saddr ${address} tcp sport ${port}`;
}
