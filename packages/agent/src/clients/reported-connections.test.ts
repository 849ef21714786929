import { expect, test } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { ReportedConnections } from './client-connections.ts';

const asked = { security: 'TLS 1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256' } as const;
const line = (protocol: string | null, cipherSuite: string | null, grantedQos: number | null) =>
  `${JSON.stringify({ protocol, cipherSuite, grantedQos })}\n`;

function receive(...chunks: string[]) {
  const reported = new ReportedConnections('client', makeTestSpec(asked));
  let rest = '';
  const listen = reported.listen(0, (chunk) => {
    rest += chunk.toString();
  });
  for (const chunk of chunks) listen(Buffer.from(chunk));
  return { reported, rest };
}

test('the first line is separated from the messages, however it is split', () => {
  const reported = line('TLSv1.3', asked.cipherSuite, 1);
  const received = receive(reported.slice(0, 9), `${reported.slice(9)}one\ntw`, 'o\n');
  expect(received.rest).toBe('one\ntwo\n');
  expect(received.reported.check()).toBe(1);
});

test.each([
  ['another suite', line('TLSv1.3', 'TLS_AES_256_GCM_SHA384', 1), 'TLSv1.3 with TLS_AES_256_GCM_SHA384'],
  ['another version', line('TLSv1.2', asked.cipherSuite, 1), 'TLSv1.2'],
  ['no TLS at all', line(null, null, 1), 'plain MQTT'],
  ['nonsense', 'hello\n', 'unknown'],
])('%s is a mismatch', (_what, text, words) => {
  const { reported } = receive(text);
  expect(() => reported.check()).toThrow(`negotiated ${words}`);
});
