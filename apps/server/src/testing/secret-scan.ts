/** A secret by name, as text (a PEM private key as a whole) or as bytes. */
export type Secrets = Readonly<Record<string, string | Buffer>>;

const privateKeyBlock = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*([A-Za-z0-9+/=\s]+)-----END/g;

/**
 * Returns the names of the secrets that a text or file contains: as plain text, base64 or hex, a PEM key also as its
 * DER bytes or unwrapped base64. Reports "a private key" for any PEM block with one.
 */
export function findSecrets(content: string | Buffer, secrets: Secrets): string[] {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content);
  const text = bytes.toString('latin1');
  // JSON encodes line breaks as two characters.
  const unescaped = text.replaceAll('\\n', '\n');
  const found = [...unescaped.matchAll(privateKeyBlock)].length > 0 ? ['a private key'] : [];
  for (const [name, secret] of Object.entries(secrets)) {
    if (formsOf(secret).some((form) => bytes.includes(form))) found.push(name);
  }
  return found;
}

function formsOf(secret: string | Buffer): (string | Buffer)[] {
  const raw = Buffer.isBuffer(secret) ? secret : Buffer.from(secret.trim());
  const forms: (string | Buffer)[] = [
    raw,
    raw.toString('base64').replace(/=+$/, ''),
    raw.toString('base64url'),
    raw.toString('hex'),
  ];
  const [, body] = [...raw.toString('latin1').matchAll(privateKeyBlock)][0] ?? [];
  if (body === undefined) return forms;
  const base64 = body.replaceAll(/\s/g, '');
  const lines = body.trim().split('\n');
  return [...forms, base64, Buffer.from(base64, 'base64'), lines[Math.min(1, lines.length - 1)] ?? base64];
}
