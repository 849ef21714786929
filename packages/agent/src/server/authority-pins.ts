import { createHash, X509Certificate } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

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
  /** PEM certificates that came with the server's address; null without them. */
  configured: string | null;
  /** Certificate of the server on the connection that carried the announcement; null without TLS. */
  peer: X509Certificate | null;
}

export type AuthorityPins = ReturnType<typeof makeAuthorityPins>;

/**
 * The certificates that an agent pins. Those that came with the server's address, or in NODE_EXTRA_CA_CERTS, hold until
 * the server announces others over a connection that they verified. Announced certificates are stored, and hold until
 * the configured ones change: an operator who writes a new file always wins.
 */
export function makeAuthorityPins({ path, extraPath }: AuthorityPinsOptions) {
  // Read once, as Node does: a file that changes later counts from the next start on.
  const extra = extraPath === null ? null : readText(extraPath);
  const configuredText = (configured: string | null): string | null => configured ?? extra;

  const announced = (text: string): string[] | null => {
    const stored = storedSchema.safeParse(parseJson(readText(path)));
    return stored.success && stored.data.replaces === hashOf(text) ? stored.data.authorities : null;
  };

  return {
    /** `configured`: PEM certificates that came with the server's address. Null: the system's authorities decide. */
    current(configured: string | null): string[] | null {
      const text = configuredText(configured);
      const replaced = text === null ? null : announced(text);
      return replaced ?? (configured === null ? null : splitPem(configured));
    },

    /**
     * Stores announced certificates. Returns false without storing if this agent pins nothing, or if the server's
     * certificate on this connection is of another authority, for example of a proxy. Throws an Error if a certificate
     * cannot be parsed or the file cannot be written.
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

/** The file is on the disk before the server counts on it. */
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
