import { neutralSpec, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';

/** A short plain trial on loopback at a gentle rate. */
export function makeTestSpec(overrides: Partial<TrialSpec> = {}): TrialSpec {
  return {
    ...neutralSpec,
    mqttVersion: '3.1.1',
    qos: 1,
    readingBytes: 64,
    readingsPerSecond: 200,
    window: 20,
    link: 'loopback',
    topic: 'mqttlab/test',
    warmUpMs: 100,
    measureMs: 500,
    drainTimeoutMs: 2_000,
    sampleHz: 10,
    ...overrides,
  };
}
