import * as z from 'zod';
import type { FactorDefinition, Levels } from '../../domain/factor.ts';
import { payloadEncodings } from '../../domain/plans/trial-spec.ts';
import { formatCount } from '../../format/number.ts';
import { carriedBytesOf } from '../ciphers/payload-ciphers.ts';
import { carriesMessages } from '../workloads.ts';

/** Generous bound for the MQTT fixed and variable headers, including topic and properties. */
const headerBytes = 256;

const inBytes = (value: string | number) => `${formatCount(Number(value))} B`;

export const readingBytes: FactorDefinition = {
  id: 'readingBytes',
  label: 'Reading size',
  group: 'message',
  audience: 'everyone',
  help: 'Size of one sensor reading. Payloads under 20 bytes have no room for a time stamp, so their latency is not measured.',
  unit: 'B',
  schema: z.int().min(1).max(1_048_576),
  input: { kind: 'number', min: 1, max: 1_048_576, integer: true, presets: [20, 100, 256, 1024, 10_240] },
  defaultLevel: () => 100,
  options: () => [20, 100, 256, 1024, 10_240].map((value) => ({ value, refusal: null })),
  levelLabel: (value) => inBytes(value),
  shortLabel: (value) => inBytes(value),
  applies: (levels, workload) => carriesMessages(workload) || levels.abuse === 'persistent sessions',
  refuse: (value, levels, testbed) => {
    const limit = testbed.broker?.maximumPacketBytes ?? Number.POSITIVE_INFINITY;
    const payload = carriedBytesOf(specOf(Number(value), levels));
    return payload + headerBytes > limit
      ? {
          reason: `a payload of ${payload} B exceeds the broker's limit of ${limit} B`,
          remedy: 'Make readings smaller or put fewer readings in each message.',
        }
      : null;
  },
  apply: (spec, value) => ({ ...spec, readingBytes: Number(value ?? 100) }),
};

function specOf(readingBytes: number, levels: Levels): Parameters<typeof carriedBytesOf>[0] {
  const { readingsPerMessage: batch, payloadCipher } = levels;
  return {
    readingBytes,
    readingsPerMessage: typeof batch === 'number' ? batch : 1,
    payloadCipher: typeof payloadCipher === 'string' ? payloadCipher : null,
    payloadEncoding: payloadEncodings.find((name) => name === levels.payloadEncoding) ?? 'binary',
  };
}
