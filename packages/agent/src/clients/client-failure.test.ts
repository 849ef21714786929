import { expect, test } from 'vitest';
import { clientFailure } from './client-program.ts';

test.each([
  ['Error: A TLS error occurred.', 'tls-handshake'],
  ['OpenSSL Error[0]: certificate verify failed', 'tls-handshake'],
  ['Connection error: Connection Refused: not authorised.', 'connack-refused'],
  ['Error: Connection refused', 'connection-refused'],
  ['Error: The connection was lost.', 'connection-lost'],
])('%s is %s', (words, code) => {
  expect(clientFailure('client', words)).toMatchObject({ code, message: expect.stringContaining(words) });
});
