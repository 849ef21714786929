import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reasonOf } from '@mqttlab/shared/kit/failure';

export interface ServerAddress {
  url: URL;
  /** PEM of what the server's certificate must be, or be signed by; null where the system's authorities decide. */
  authority: string | null;
}

/** The address, and behind it what is pinned, PEM. Throws an Error that says how it should look. */
export function parseServerAddress(text: string): ServerAddress {
  const [first = '', ...rest] = text.trim().split('\n');
  const url = URL.parse(first);
  if (url === null || !/^(http|ws)s?:$/.test(url.protocol)) {
    throw new Error(`"${first}" is no address of a server; it looks like http://192.168.1.5:4321`);
  }
  const authority = rest.join('\n').trim();
  if (authority !== '' && !/^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----$/.test(authority)) {
    throw new Error('What stands behind the address of the server is no certificate, or only half of one');
  }
  if (authority !== '') requireCertificate(authority);
  return { url, authority: authority === '' ? null : authority };
}

function requireCertificate(pem: string): void {
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw new Error(`The certificate behind the address of the server is damaged: ${reasonOf(error)}`);
  }
}

/**
 * Where the server is to be found now: whoever keeps a tunnel to this device writes a new port into the file each time
 * the tunnel is made. While the file cannot be read or is damaged, the last known address is used; each cause is reported
 * once.
 */
export function followServerFile(
  path: string,
  first: ServerAddress,
  onTrouble: (text: string) => void = () => {},
): () => ServerAddress {
  let known = first;
  let lastTrouble = '';
  return () => {
    try {
      known = parseServerAddress(readFileSync(path, 'utf8'));
      lastTrouble = '';
    } catch (error) {
      const trouble = `${path} is not used: ${reasonOf(error)}`;
      if (trouble !== lastTrouble) onTrouble(trouble);
      lastTrouble = trouble;
    }
    return known;
  };
}
