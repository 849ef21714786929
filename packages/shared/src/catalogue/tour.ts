import { type ExperimentDraft, planSchemaVersion } from '../domain/plans/experiment-draft.ts';
import { workloadDefaults } from '../domain/plans/workload.ts';

/**
 * Makes the draft of the tour: 3 security levels x 2 QoS levels x 3 repetitions on the built-in testbed, in
 * under 90 s.
 */
export function makeTourDraft(testbedId: string): ExperimentDraft {
  return {
    schemaVersion: planSchemaVersion,
    name: 'Tour: what does TLS cost?',
    question:
      'How many bytes, how much CPU time and how much latency do AES-256-GCM and ChaCha20-Poly1305 add to plain MQTT?',
    tags: ['tour'],
    notes: '',
    testbedId,
    factors: {
      security: ['plain', 'TLS 1.3'],
      cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
      qos: [0, 1],
      rate: [500],
      readingBytes: [256],
    },
    workload: {
      kind: 'stream',
      warmUpMs: 1000,
      measureMs: 2500,
      drainTimeoutMs: 5000,
      window: 1000,
      ...workloadDefaults,
    },
    sampleHz: 10,
    repetitions: 3,
    order: 'random in block',
    seed: 20_261_121,
    // Three repetitions resolve differences in bytes on any machine, but not differences of 50 µs in latency.
    response: 'wire.perMessage',
    stopping: null,
    retries: 1,
  };
}

/** Makes a draft with the default settings of a new experiment. */
export function makeEmptyDraft(testbedId: string, seed: number): ExperimentDraft {
  return {
    schemaVersion: planSchemaVersion,
    name: '',
    question: '',
    tags: [],
    notes: '',
    testbedId,
    factors: { security: ['plain', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] },
    workload: {
      kind: 'stream',
      warmUpMs: 3000,
      measureMs: 20_000,
      drainTimeoutMs: 10_000,
      window: 1000,
      ...workloadDefaults,
    },
    sampleHz: 1,
    repetitions: 5,
    order: 'random in block',
    seed,
    response: 'latency.p50',
    stopping: null,
    retries: 1,
  };
}
