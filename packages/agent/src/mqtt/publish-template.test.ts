import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { makePublishTemplate } from './publish-template.ts';

it('fills payloads with bytes that cannot be compressed, the same for the same seed', () => {
  const spec = makeTestSpec({ readingBytes: 500, readingsPerMessage: 40 });
  const { packet, payloadAt, payloadBytes } = makePublishTemplate(spec, 7);
  const payload = packet.subarray(payloadAt);
  expect(payloadBytes).toBe(20_000);
  expect(payload).toHaveLength(20_000);
  expect(deflateRawSync(payload).length).toBeGreaterThan(19_900);
  expect(makePublishTemplate(spec, 7).packet).toEqual(packet);
  expect(makePublishTemplate(spec, 8).packet).not.toEqual(packet);
});
