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
  /** Token of this device; null if it enrols. */
  token: string | null;
  /** Enrolment token; null if it has a token. */
  enrolToken: string | null;
  name: string;
  /** File for the issued token. */
  path: string;
}

export type Credentials = ReturnType<typeof makeCredentials>;

/** Credentials of the agent: the token of its device, or the enrolment token until it has one. */
export function makeCredentials({ token, enrolToken, name, path }: CredentialsOptions) {
  let own = token ?? (existsSync(path) ? readFileSync(path, 'utf8').trim() : null);
  return {
    /** Credentials for the next connection attempt. */
    headers: (): Record<string, string> => ({
      authorization: `Bearer ${own ?? enrolToken ?? ''}`,
      ...(own === null && { [enrolHeaders.name]: name }),
    }),
    /**
     * The server enrolled this device: stores the token before anything else is sent. Throws if it cannot be stored.
     */
    keep(answered: string): void {
      writeFileSync(`${path}.new`, `${answered}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      own = answered;
    },
    /** The server rejected the token: a device that was removed there enrols again. */
    refused(): void {
      if (enrolToken !== null) own = null;
    },
  };
}

export interface ServerAddress {
  url: URL;
  /** PEM of the server's certificate or its authority; null if the authorities of the system apply. */
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
 * Current address of the server. The program that holds a tunnel to this device writes a new port to the file each time
 * the tunnel is made. While the file cannot be read or is damaged, the last known address is used; each cause is
 * reported once.
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
  /** SHA-256 of the configured certificates that these replaced, hex. */
  replaces: z.string(),
  authorities: z.array(z.string()).min(1),
});

interface AuthorityPinsOptions {
  /** Where the certificates that the server announced are stored. */
  path: string;
  /** File of NODE_EXTRA_CA_CERTS; null if it is not set. */
  extraPath: string | null;
}

interface Announcement {
  /** PEM certificates. */
  authorities: readonly string[];
  /** PEM certificates supplied with the server's address; null without them. */
  configured: string | null;
  /** Certificate of the server on the connection that carried the announcement; null without TLS. */
  peer: X509Certificate | null;
}

export type AuthorityPins = ReturnType<typeof makeAuthorityPins>;

/**
 * The certificates that an agent pins. Those supplied with the server's address, or in NODE_EXTRA_CA_CERTS, apply until
 * the server announces others over a connection verified with them. Announced certificates are stored and apply until
 * the configured ones change: a new file from the operator always takes precedence.
 */
export function makeAuthorityPins({ path, extraPath }: AuthorityPinsOptions) {
  // Read once, as Node does: a later change takes effect at the next start.
  const extra = extraPath === null ? null : readText(extraPath);
  const configuredText = (configured: string | null): string | null => configured ?? extra;

  const announced = (text: string): string[] | null => {
    const stored = storedSchema.safeParse(parseJson(readText(path)));
    return stored.success && stored.data.replaces === hashOf(text) ? stored.data.authorities : null;
  };

  return {
    /** `configured`: PEM certificates supplied with the server's address. Null: the authorities of the system apply. */
    current(configured: string | null): string[] | null {
      const text = configuredText(configured);
      const replaced = text === null ? null : announced(text);
      return replaced ?? (configured === null ? null : splitPem(configured));
    },

    /**
     * Stores announced certificates. Returns false without storing if this agent pins nothing, or if the server's
     * certificate on this connection is from another authority, for example of a proxy. Throws an Error if a
     * certificate cannot be parsed or the file cannot be written.
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
