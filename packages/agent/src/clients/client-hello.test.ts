import { expect, test } from 'vitest';
import { parseClientVersion } from './kinds/mosquitto-clients.ts';
import { parseClientHello } from './offered-tls.ts';

/** A vector with its length prefix. */
function vector(lengthBytes: 1 | 2, ...parts: number[][]): number[] {
  const content = parts.flat();
  return [...(lengthBytes === 2 ? [content.length >> 8] : []), content.length & 0xff, ...content];
}

/** TLS_AES_128_GCM_SHA256, the renegotiation signal, X25519 and P-256, TLS 1.3. */
function makeHello(extensions: number[][]): Buffer {
  const body = [
    3,
    3,
    ...Array<number>(32).fill(7),
    ...vector(1, Array<number>(32).fill(9)),
    ...vector(2, [0x13, 0x01, 0x00, 0xff]),
    ...vector(1, [0]),
    ...vector(2, ...extensions),
  ];
  const message = [1, 0, body.length >> 8, body.length & 0xff, ...body];
  return Buffer.from([22, 3, 1, ...vector(2, message)]);
}

const groups = [0, 10, ...vector(2, vector(2, [0x00, 0x1d, 0x00, 0x17]))];
const versions = [0, 43, ...vector(2, vector(1, [0x03, 0x04]))];

test('reads versions, suites without signals, and groups', () => {
  expect(parseClientHello(makeHello([groups, versions]))).toEqual({
    versions: [0x0304],
    suites: [0x1301],
    groups: [0x001d, 0x0017],
  });
});

test('uses the legacy version of old clients without supported_versions', () => {
  expect(parseClientHello(makeHello([]))).toEqual({ versions: [0x0303], suites: [0x1301], groups: [] });
});

test('waits for the complete message, and rejects anything else', () => {
  const hello = makeHello([groups, versions]);
  for (const length of [0, 4, 5, hello.length - 1]) {
    expect(parseClientHello(hello.subarray(0, length))).toBeNull();
  }
  expect(() => parseClientHello(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toThrow('does not use TLS');
  const alert = Buffer.from([22, 3, 3, 0, 4, 2, 0, 0, 0]);
  expect(() => parseClientHello(alert)).toThrow('ClientHello');
});

test.each([
  ['mosquitto_pub version 2.0.11 running on libmosquitto 2.0.11.', '2.0.11'],
  ['mosquitto_pub version 1.6.10 running on libmosquitto 1.6.10.', '1.6.10'],
  ['mosquitto_pub version 1.5.7 running on libmosquitto 1.5.7.', null],
  ['command not found', null],
])('the version in "%s" is %s', (text, version) => {
  expect(parseClientVersion(text)).toBe(version);
});
