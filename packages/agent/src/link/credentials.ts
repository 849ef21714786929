import { createHash, X509Certificate } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { enrolHeaders } from '@mqttlab/shared/messages/agent';
import * as z from 'zod';

interface CredentialsOptions {
  /** Token of this device; null if the device is not enrolled yet. */
  token: string | null;
  /** Enrolment token; null if the device has its own token. */
  enrolToken: string | null;
  name: string;
  /** File in which the issued token is stored. */
  path: string;
}

export type Credentials = ReturnType<typeof makeCredentials>;

/**
 * Makes the credentials of the agent: the token of its device, or the enrolment token until the device has a
 * token.
 */
export function makeCredentials({ token, enrolToken, name, path }: CredentialsOptions) {
  let own = token ?? (existsSync(path) ? readFileSync(path, 'utf8').trim() : null);
  return {
    /** Returns the credentials for the next connection attempt. */
    headers: (): Record<string, string> => ({
      authorization: `Bearer ${own ?? enrolToken ?? ''}`,
      ...(own === null && { [enrolHeaders.name]: name }),
    }),
    /**
     * Called when the server has enrolled this device; stores the token before anything else is sent. Throws
     * if it cannot be stored.
     */
    keep(answered: string): void {
      writeFileSync(`${path}.new`, `${answered}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      own = answered;
    },
    /**
     * Called when the server has rejected the token: a device that was removed on the server enrols again.
     */
    refused(): void {
      if (enrolToken !== null) own = null;
    },
  };
}

export interface ServerAddress {
  url: URL;
  /** PEM of the server certificate or its CA certificate; null if the system's authorities apply. */
  authority: string | null;
}

/** Parses the address and the pinned PEM after it. Throws an Error that describes the format. */
export function parseServerAddress(text: string): ServerAddress {
  const [first = '', ...rest] = text.trim().split('\n');
  const url = URL.parse(first);
  if (url === null || !/^(http|ws)s?:$/.test(url.protocol)) {
    throw new Error(`"${first}" is not the address of a server; an example is http://192.168.1.5:4321`);
  }
  const authority = rest.join('\n').trim();
  if (authority !== '' && !/^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----$/.test(authority)) {
    throw new Error('The text after the address of the server is not a complete certificate');
  }
  if (authority !== '') requireCertificate(authority);
  return { url, authority: authority === '' ? null : authority };
}

function requireCertificate(pem: string): void {
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw new Error(`The certificate after the address of the server is damaged: ${reasonOf(error)}`);
  }
}

/**
 * Reads the current address of the server. The program that maintains a tunnel to this device writes a new
 * port to the file each time it opens the tunnel. While the file cannot be read or is damaged, the last known
 * address is used; each cause is reported once.
 */
export function followServerFile(
  path: string,
  first: ServerAddress,
  onFailure: (text: string) => void = () => {},
): () => ServerAddress {
  let known = first;
  let lastFailure = '';
  return () => {
    try {
      known = parseServerAddress(readFileSync(path, 'utf8'));
      lastFailure = '';
    } catch (error) {
      const trouble = `${path} is not used: ${reasonOf(error)}`;
      if (trouble !== lastFailure) onFailure(trouble);
      lastFailure = trouble;
    }
    return known;
  };
}

const storedSchema = z.object({
  /** SHA-256 of the configured certificates that the announced certificates replaced, in hex. */
  replaces: z.string(),
  authorities: z.array(z.string()).min(1),
});

interface AuthorityPinsOptions {
  /** File in which certificates announced by the server are stored. */
  path: string;
  /** File in NODE_EXTRA_CA_CERTS; null if the variable is not set. */
  extraPath: string | null;
}

interface Announcement {
  /** PEM certificates. */
  authorities: readonly string[];
  /** PEM certificates supplied with the server's address; null if there are none. */
  configured: string | null;
  /** Server certificate on the connection that carried the announcement; null without TLS. */
  peer: X509Certificate | null;
}

export type AuthorityPins = ReturnType<typeof makeAuthorityPins>;

/**
 * Manages the certificates that an agent pins. Certificates supplied with the server's address, or in
 * NODE_EXTRA_CA_CERTS, apply until the server announces others over a connection verified with them.
 * Announced certificates are stored and apply until the configured ones change: a new file from the operator
 * always takes precedence.
 */
export function makeAuthorityPins({ path, extraPath }: AuthorityPinsOptions) {
  // Read once, as in Node: a later change takes effect at the next start.
  const extra = extraPath === null ? null : readText(extraPath);
  const configuredText = (configured: string | null): string | null => configured ?? extra;

  const announced = (text: string): string[] | null => {
    const stored = storedSchema.safeParse(parseJson(readText(path)));
    return stored.success && stored.data.replaces === hashOf(text) ? stored.data.authorities : null;
  };

  return {
    /**
     * Returns the pinned certificates; null if the system's authorities apply. `configured` are the PEM
     * certificates supplied with the server's address.
     */
    current(configured: string | null): string[] | null {
      const text = configuredText(configured);
      const replaced = text === null ? null : announced(text);
      return replaced ?? (configured === null ? null : splitPem(configured));
    },

    /**
     * Stores announced certificates. Returns false without storing if this agent pins nothing, or if the
     * server certificate on this connection is from another authority, for example that of a proxy. Throws an
     * Error if a certificate cannot be parsed or the file cannot be written.
     */
    replace({ authorities, configured, peer }: Announcement): boolean {
      const text = configuredText(configured);
      if (text === null || peer === null) return false;
      const wanted = authorities.map((pem) => new X509Certificate(pem));
      const known = [...wanted, ...(announced(text) ?? []).map((pem) => new X509Certificate(pem))];
      if (!known.some((authority) => isIssuer(authority, peer))) return false;
      const fingerprints = (certificates: readonly X509Certificate[]) =>
        certificates
          .map(({ fingerprint256 }) => fingerprint256)
          .sort()
          .join();
      if (fingerprints(wanted) === fingerprints(splitPem(text).map((pem) => new X509Certificate(pem)))) {
        rmSync(path, { force: true });
        return true;
      }
      const stored = { replaces: hashOf(text), authorities: wanted.map(String) };
      writeDurably(path, `${JSON.stringify(stored)}\n`);
      return true;
    },
  };
}

function isIssuer(authority: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function splitPem(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}

function hashOf(text: string): string {
  return createHash('sha256').update(splitPem(text).join('\n')).digest('hex');
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

/** Syncs the file to disk before the server relies on it. */
function writeDurably(path: string, text: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
