import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import { resolveHost } from '../../server/resolve-host.ts';
import type { EnergyEnvironment } from '../energy-source.ts';

/** More than any meter answers. */
const maxAnswerBytes = 262_144;

/** Asks a meter once, at the address that was looked at: a name may lead elsewhere a moment later. */
export const fetchMeter: EnergyEnvironment['fetch'] = async (url, { signal }) => {
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
};
