import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeDraft, makeTestbed, makeWorkload } from '@mqttlab/shared/testing/factories';

/** Plain against two TLS 1.3 suites, two repetitions: three treatments, six trials. */
export function makeTestDraft(change: Partial<ExperimentDraft> = {}): ExperimentDraft {
  return makeDraft({
    name: 'TLS or not',
    question: 'What does TLS cost?',
    tags: ['first'],
    factors: {
      security: ['plain', 'TLS 1.3'],
      cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    },
    workload: makeWorkload({ warmUpMs: 500, measureMs: 2000, drainTimeoutMs: 5000, window: 100 }),
    repetitions: 2,
    ...change,
  });
}

export function makeTestPlan(change: Partial<ExperimentDraft> = {}): Plan {
  const parsed = parsePlan(makeTestDraft(change), makeTestbed());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.plan;
}
