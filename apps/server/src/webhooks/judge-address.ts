import { BlockList, isIP } from 'node:net';
import type { Issue } from '@mqttlab/shared/domain/issue';

export interface ResolvedAddress {
  address: string;
  family: number;
}

type Why = Pick<Issue, 'reason' | 'remedy'>;

/** Metadata services of clouds live here, and give keys to whoever asks from inside. */
const linkLocal = listOf([
  ['169.254.0.0', 16],
  ['fe80::', 10],
  // The same by way of NAT64 and 6to4.
  ['64:ff9b::a9fe:0', 112],
  ['2002:a9fe::', 32],
  // Metadata services that are elsewhere: AWS over IPv6, Alibaba Cloud.
  ['fd00:ec2::254', 128],
  ['100.100.100.200', 32],
]);
const noMachine = listOf([
  ['0.0.0.0', 8],
  ['224.0.0.0', 3],
  ['::', 128],
  ['ff00::', 8],
]);
const local = listOf([
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
]);

function listOf(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of subnets) list.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

function isIn(list: BlockList, { address, family }: ResolvedAddress): boolean {
  const [plain = ''] = address.split('%');
  return list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

/** What speaks against sending to these addresses of one host; null where nothing does. */
export function judgeAddresses(url: URL, addresses: readonly ResolvedAddress[]): Why | null {
  const host = hostOf(url);
  const named = ({ address }: ResolvedAddress) => (address === host ? host : `${host} (${address})`);
  const metadata = addresses.find((one) => isIn(linkLocal, one));
  if (metadata) {
    return {
      reason: `${named(metadata)} is a link-local or metadata address, which nothing is sent to`,
      remedy: 'Give the receiver an address of its own on the network.',
    };
  }
  const nobody = addresses.find((one) => isIn(noMachine, one));
  if (nobody) {
    return {
      reason: `${named(nobody)} is not the address of one machine`,
      remedy: 'Write 127.0.0.1 for this machine, or the address of another.',
    };
  }
  const open = url.protocol === 'http:' ? addresses.find((one) => !isIn(local, one)) : undefined;
  if (open) {
    return {
      reason: `${named(open)} is not on this machine or in a private network, where alone http may be used`,
      remedy: 'Use https.',
    };
  }
  return null;
}

/** The address as a URL, or what is wrong with its form. */
export function parseWebhookUrl(text: string): { ok: true; url: URL } | { ok: false; why: Why } {
  const url = URL.parse(text);
  const example = 'https://example.org/hooks/mqttlab';
  const refuse = (reason: string, remedy: string) => ({ ok: false as const, why: { reason, remedy } });
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    return refuse('it is no web address', `Write it like ${example}.`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse(
      'it carries a user name or password',
      'Leave them out: every message is signed with the secret, which the receiver can check.',
    );
  }
  url.hash = '';
  return { ok: true, url };
}

/** Without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
