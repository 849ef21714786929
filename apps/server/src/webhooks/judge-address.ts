import { hostOfUrl, judgeHost, kindOfAddress } from '@mqttlab/shared/domain/devices/network-address';
import type { Issue } from '@mqttlab/shared/domain/issue';

export interface ResolvedAddress {
  address: string;
  family: number;
}

type Why = Pick<Issue, 'reason' | 'remedy'>;

/** What speaks against sending to these addresses of one host; null where nothing does. */
export function judgeAddresses(url: URL, addresses: readonly ResolvedAddress[]): Why | null {
  const host = hostOfUrl(url);
  const plain = addresses.map(({ address }) => address);
  const against = judgeHost(host, plain);
  if (against) return against;
  const open = url.protocol === 'http:' ? plain.find((one) => kindOfAddress(one) === 'public') : undefined;
  if (open === undefined) return null;
  return {
    reason: `${open === host ? host : `${host} (${open})`} is not on this machine or in a private network, where alone http may be used`,
    remedy: 'Use https.',
  };
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
