import { expect, test } from 'vitest';
import type { RunCapture } from '../../domain/runs/capture.ts';
import { capturedConnection as connection, makeCapture } from '../../testing/captures.ts';
import { makeNegotiated, makeRoleResult, makeTrialSpec } from '../../testing/factories.ts';
import { captureAgrees } from '../verdicts/capture-agrees.ts';
import { describeCapture, seenByEavesdropper } from './capture-evidence.ts';

const suite = 'ECDHE-ECDSA-AES128-GCM-SHA256';
/** Figure and unit are held together by a space that does not break. */
const plainly = (text: string) => text.replaceAll('\u00a0', ' ');

test('what TLS 1.2 gives away, what TLS 1.3 hides, and what plain shows', () => {
  const words = (capture: RunCapture, security: 'plain' | 'TLS 1.2' | 'TLS 1.3') =>
    Object.fromEntries(
      seenByEavesdropper(capture, makeTrialSpec({ security })).map(({ label, seen }) => [
        label,
        plainly(seen),
      ]),
    );
  expect(words(makeCapture(), 'TLS 1.2')).toMatchObject({
    Topics: 'none: encrypted',
    Payloads: 'none: encrypted',
    'Version and suite': `TLS 1.2, ${suite}`,
    Certificates: 'CN=broker',
    'Sizes and timing': '100 of 113 B to the broker, one every 5.00 ms',
  });
  expect(words(makeCapture({ certificates: [] }), 'TLS 1.3').Certificates).toBe(
    'hidden: TLS 1.3 encrypts them',
  );
  const plain = makeCapture({ topics: ['plant/1'], payloadBytes: 6_400, payloadSample: 'a1b2' });
  expect(words(plain, 'plain')).toMatchObject({
    Topics: 'plant/1',
    Payloads: '6.40 kB in the clear, beginning a1 b2',
  });
  expect(plainly(describeCapture(makeCapture({ cut: 'It reached its limit.' })))).toBe(
    'tcpdump 4.99.3: 900 packets, 1.00 MB, 0 lost. It reached its limit. Capturing used 0.120 s of CPU time on the broker’s device.',
  );
});

test('a capture that disagrees fails, with what is different; one that is not whole judges nothing', () => {
  const spec = makeTrialSpec({ security: 'TLS 1.2', cipherSuite: suite });
  const judge = (capture: RunCapture, localPort = 40_001) => {
    const publisher = makeRoleResult({
      role: 'publisher',
      localPorts: [localPort],
      negotiated: makeNegotiated({ cipherSuite: suite }),
      environment: { 'connections.bytesSent': 10_050, 'connections.bytesReceived': 2_000 },
    });
    return captureAgrees.judge({ spec, results: [publisher, makeRoleResult({ role: 'broker', capture })] });
  };
  expect(judge(makeCapture())).toMatchObject({ status: 'passed' });
  const wrong = { ...connection, suite: 'TLS_AES_256_GCM_SHA384', bytesSent: 20_000 };
  expect(judge(makeCapture({ connections: [wrong] }))).toEqual({
    status: 'failed',
    evidence: `publisher: ${suite} recorded, TLS_AES_256_GCM_SHA384 captured, 10,050 B sent recorded, 20,000 B captured`,
  });
  expect(judge(makeCapture(), 50_000).evidence).toBe('publisher: 0 of its 1 connections are in the capture');
  expect(judge(makeCapture({ cut: 'It reached its limit of 32 MiB.' })).status).toBe('not applicable');
  expect(judge(makeCapture({ lostPackets: 3 })).evidence).toBe('the capture lost 3 packets');
});
