import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { resultOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { cloudCipher, isBridged } from '@mqttlab/shared/domain/devices/topology';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { BridgeCounters, Randomness } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { type CipherTime, timeOf } from './payload-model.ts';

export interface Station {
  name: string;
  device: string;
}

/** Between two stations: how the connection is protected, and the payload in it. */
export interface Hop {
  connection: string;
  payload: string;
}

export interface BridgeResult {
  stations: readonly Station[];
  /** One fewer than stations. */
  hops: readonly Hop[];
  counters: BridgeCounters;
  times: readonly CipherTime[];
  randomness: Randomness | null;
}

const order = [
  ['publisher', 'Publisher'],
  ['broker', 'Local broker'],
  ['bridge', 'Bridge'],
  ['cloud-broker', 'Cloud broker'],
  ['subscriber', 'Subscriber'],
] as const;

/** What the bridge of a Run did; null where there was none. */
export function bridgeOf(run: Pick<RunDetail, 'results' | 'treatment'>): BridgeResult | null {
  const { spec } = run.treatment;
  const result = resultOf({ spec, results: run.results }, 'bridge');
  if (!isBridged(spec) || !result?.bridge) return null;
  const edge: Hop = { connection: connectionOf(spec), payload: cipherName(spec.payloadCipher) };
  const cloud: Hop = { connection: 'TLS 1.3', payload: cipherName(cloudCipher) };
  return {
    stations: order.map(([role, name]) => ({
      name,
      device: run.results.find((one) => one.role === role)?.device || role,
    })),
    hops: [edge, edge, cloud, cloud],
    counters: result.bridge,
    times: [
      ...timeOf('Verify and decrypt', result.histograms.decryption),
      ...timeOf('Encrypt anew', result.histograms.encryption),
    ],
    randomness: result.randomness.find(({ test }) => test === 'approximate entropy') ?? null,
  };
}

function connectionOf({ security }: TrialSpec): string {
  return security === 'plain' ? 'plain TCP' : security;
}

function cipherName(id: string | null): string {
  return id === null ? 'in the clear' : (findPayloadCipherDefinition(id)?.label ?? id);
}
