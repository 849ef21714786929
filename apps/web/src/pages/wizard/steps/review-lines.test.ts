import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makeForecast, makePlanSoFar } from '../model/plan-forecast.ts';
import { reviewLines } from './review-lines.ts';

const idle = {
  run: () => undefined,
  isPending: false,
  checks: null,
  ranAtMs: null,
  error: null,
  isOutdated: false,
};

function linesOf(change: Parameters<typeof makeDraft>[0] = {}) {
  const draft = makeDraft(change);
  const testbed = { ...makeTestbed(), busyWith: null };
  const planning = makePlanSoFar(draft, testbed);
  const input = { draft, testbed, planning, forecast: makeForecast(planning, null), preflight: idle };
  return Object.fromEntries(reviewLines(input).map(({ step, text }) => [step, text]));
}

describe('reviewLines', () => {
  it('lists varied and constant factors, each once', () => {
    const { factors } = linesOf();
    expect(factors).toContain('Varied: Protocol (Plain, TLS 1.3); Cipher suite (TLS_AES_256_GCM_SHA384,');
    expect(factors).toContain('QoS (QoS 0, QoS 1). That makes 6 treatments.');
    expect(factors).toContain('Key exchange: X25519; Server certificate: ECDSA P-256;');
    expect(factors).toContain('Held constant: Reading size: 256 B; Rate: 500 readings/s;');
    expect(factors).toContain('MQTT version: MQTT 5.0; no keep-alive; Readings per message: 1 reading');
  });

  it('puts constant factors that differ from the default first', () => {
    const { factors } = linesOf({ factors: { security: ['plain', 'TLS 1.3'], group: ['P-256'] } });
    expect(factors).toContain('Held constant: Key exchange: P-256;');
  });

  it('counts impossible combinations', () => {
    const { factors } = linesOf({
      factors: { security: ['TLS 1.2', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] },
    });
    expect(factors).toContain('That makes 1 treatment; 1 combination is impossible.');
  });

  it('states order, seed, runs and time', () => {
    expect(linesOf().repetitions).toMatch(
      /^3 repetitions of 6 treatments, in random order within each repetition, seed 20261121; a failed trial is retried once\. Response: Latency, median\. 18 runs of 4\.7 s: 85 s, /,
    );
  });

  it('names the first of many levels', () => {
    const rates = Array.from({ length: 20 }, (_, i) => 100 + i);
    expect(linesOf({ factors: { rate: rates } }).factors).toContain('103/s and 16 more)');
  });

  it('describes the workload by its relevant fields', () => {
    const { workload } = makeDraft();
    expect(linesOf({ workload: { ...workload, kind: 'burst' } }).workload).toContain('s on, ');
    expect(linesOf({ workload: { ...workload, kind: 'states', connections: 7 } }).workload).toBe(
      'States over 7 connections; sampled at 10 Hz.',
    );
  });

  it('reports that the pre-flight did not run', () => {
    expect(linesOf().preflight).toContain('Not run yet');
  });
});
