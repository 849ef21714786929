import { lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { hostOfUrl, judgeHost } from '@mqttlab/shared/domain/devices/network-address';

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

interface MeterAnswer {
  status: number;
  /** 2xx. */
  ok: boolean;
  text: string;
}

/** More than any meter answers. */
const maxAnswerBytes = 262_144;

/**
 * Asks a meter once, at the address that was looked at: a name may lead elsewhere a moment later. Redirects are not
 * followed. Rejects where nobody answers.
 */
export async function fetchMeter(url: URL, { signal }: { signal: AbortSignal }): Promise<MeterAnswer> {
  const found = await resolveHost(hostOfUrl(url));
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      signal,
      agent: false,
      lookup: (_host, { all }, answer) =>
        all ? answer(null, [found]) : answer(null, found.address, found.family),
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxAnswerBytes) response.destroy(new Error('its answer is too long'));
        else parts.push(part);
      });
      response.on('error', reject);
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        resolve({ status, ok: status >= 200 && status < 300, text: Buffer.concat(parts).toString('utf8') });
      });
    });
    sent.end();
  });
}
