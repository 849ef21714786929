import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { onTestFinished } from 'vitest';
import { makeTestSpec } from '../../testing/specs.ts';
import { makeTemporaryFolder } from '../../testing/temporary-folder.ts';
import type { TestTrial } from './play-trial.ts';
import { startTestBroker, type TestBroker } from './test-broker.ts';

/** A broker that ends with the test. */
export async function startBroker(options: Parameters<typeof startTestBroker>[0] = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  onTestFinished(() => broker.stop());
  return broker;
}

/** Makes a trial of the mosquitto clients, unless the spec names others. Each role has a separate folder. */
export function makeClientTrial(
  port: number,
  spec: Partial<TrialSpec>,
  change: Partial<TestTrial> = {},
): TestTrial {
  const folders = { publisher: makeTemporaryFolder(), subscriber: makeTemporaryFolder() };
  const usual = { client: 'mosquitto clients', readingBytes: 100, readingsPerSecond: 100 } as const;
  return { port, spec: makeTestSpec({ ...usual, ...spec }), folders, ...change };
}
