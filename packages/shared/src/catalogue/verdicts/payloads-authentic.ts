import { isBridged } from '../../domain/devices/device.ts';
import { deliveriesOf } from '../../domain/plans/trial-spec.ts';
import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { findPayloadCipherDefinition, lacksTag } from '../ciphers/payload-ciphers.ts';
import { countOf } from '../evidence/evidence.ts';

/** Checks that no payload was altered, replayed or forged. Rejected messages do not count as received. */
export const payloadsAuthentic: VerdictDefinition = {
  id: 'payloads-authentic',
  label: 'Payloads authentic',
  fault: 'Payloads not authentic',
  remedy: 'Check that every device has this run’s key, then run again.',
  judge: ({ spec, results }) => {
    const count = (counter: 'unauthentic' | 'replayed' | 'malformed') =>
      (countOf({ spec, results }, 'subscriber', counter) ?? 0) +
      (countOf({ spec, results }, 'bridge', counter) ?? 0);
    const { payloadCipher, payloadEncoding } = spec;
    if (payloadCipher === null && payloadEncoding === 'binary') {
      return { status: 'not applicable', evidence: 'payloads were neither encrypted nor encoded' };
    }
    const refused = {
      unauthentic: count('unauthentic'),
      replayed: count('replayed'),
      malformed: count('malformed'),
    };
    const received = countOf({ spec, results }, 'subscriber', 'received');
    if (received === null) return { status: 'failed', evidence: 'messages were not counted' };
    const figures = [
      `${received} accepted`,
      ...Object.entries(refused).map(([name, messages]) => `${messages} ${name}`),
    ].join(', ');
    const altered = countOf({ spec, results }, 'publisher', 'altered') ?? 0;
    // A bridge rejects each altered message once; without a bridge, every subscriber does.
    const expected = altered * (isBridged(spec) ? 1 : deliveriesOf(spec));
    if (spec.alterEvery > 0 && !lacksTag(spec)) {
      const all =
        altered > 0 && refused.unauthentic === expected && refused.replayed + refused.malformed === 0;
      return { status: all ? 'passed' : 'failed', evidence: `${altered} altered on purpose; ${figures}` };
    }
    // Without a tag, an altered payload is either accepted or rejected because of its padding.
    const isExplained = refused.unauthentic + refused.replayed === 0 && refused.malformed <= expected;
    if (!isExplained) return { status: 'failed', evidence: figures };
    if (lacksTag(spec)) {
      const label = findPayloadCipherDefinition(payloadCipher ?? '')?.label;
      return { status: 'not applicable', evidence: `${label} cannot detect changes: ${figures}` };
    }
    return { status: 'passed', evidence: figures };
  },
};
