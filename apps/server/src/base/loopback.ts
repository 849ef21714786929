import { isIP } from 'node:net';

/** The name or address of a host that only this machine reaches; IPv6 without brackets. */
export function isLoopbackHost(host: string): boolean {
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
