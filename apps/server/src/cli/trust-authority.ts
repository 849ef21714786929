import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Also trusts the authority of a server that made its own: MQTTLAB_AUTHORITY names its PEM file. */
export function trustAuthority({ MQTTLAB_AUTHORITY: path }: NodeJS.ProcessEnv): void {
  if (!path) return;
  try {
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(path, 'utf8')]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`MQTTLAB_AUTHORITY: ${path} is no certificate that can be read (${reason}).`);
  }
}
