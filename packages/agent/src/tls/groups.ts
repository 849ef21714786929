/** One key-exchange group under all the names that OpenSSL gives it; the first is ours. */
const aliases: readonly (readonly string[])[] = [
  ['X25519'],
  ['X448'],
  ['P-256', 'prime256v1', 'secp256r1'],
  ['P-384', 'secp384r1'],
  ['P-521', 'secp521r1'],
];

/** One name for each group, so that two spellings of the same group compare equal. */
function canonicalGroup(name: string): string {
  const lower = name.toLowerCase();
  const known = aliases.find((names) => names.some((alias) => alias.toLowerCase() === lower));
  return known?.[0] ?? name;
}

export function isSameGroup(a: string, b: string): boolean {
  return canonicalGroup(a).toLowerCase() === canonicalGroup(b).toLowerCase();
}

/**
 * Name of the group from what `tlsSocket.getEphemeralKeyInfo()` says: elliptic curves and hybrids by name,
 * finite fields (RFC 7919) by size; null where no ephemeral key was agreed on (RSA key exchange).
 */
export function groupOf(key: object | null): string | null {
  if (key === null) return null;
  if ('name' in key && typeof key.name === 'string' && key.name !== '') return canonicalGroup(key.name);
  if ('type' in key && key.type === 'DH' && 'size' in key) return `ffdhe${String(key.size)}`;
  return null;
}
