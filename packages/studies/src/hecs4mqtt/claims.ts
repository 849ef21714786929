import {
  type Claim,
  contrast,
  type Derived,
  type Levels,
  notTestable,
} from '@mqttlab/shared/analysis/claims/claim';
import { countRuns } from '@mqttlab/shared/analysis/claims/lines';
import type { PayloadCipherId } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { formatNumber } from '@mqttlab/shared/format/number';
import { needsTreatment } from '../claims/common.ts';

/** Ciphers that the study measured, represented by the closest authenticated scheme. */
export const measured: readonly PayloadCipherId[] = [
  'chacha20-poly1305',
  'aes-256-gcm',
  'aes-256-eax',
  'aes-256-ccm-8',
  'aes-128-ctr-hmac-sha256',
  'salsa20-blake2b',
];
const salsa = 'salsa20-blake2b';
const bridge = 're-encrypting bridge';
/** Latency bound for emergency e-health, in ms. */
const emergencyMs = 500;

/** Compares these ciphers with every other cipher in the study, for each size. */
function againstOthers(
  measure: string,
  ciphers: readonly PayloadCipherId[],
  { who, expect, sizes }: { who: string; expect: 'higher' | 'lower'; sizes?: readonly number[] },
) {
  return contrast({
    measures: [measure],
    of: { payloadCipher: ciphers },
    against: { payloadCipher: measured.filter((cipher) => !ciphers.includes(cipher)) },
    ...(sizes ? { where: { readingBytes: sizes } } : {}),
    each: ['payloadCipher', 'readingBytes'],
    eachOther: 'payloadCipher',
    who,
    expect,
  });
}

/** Altered messages that the bridge did not reject; no value for runs without altered messages. */
const passed: Derived = {
  label: 'altered messages that the bridge forwarded',
  unit: 'messages',
  kind: 'signed',
  metrics: ['count.altered', 'bridge.rejected'],
  of: ([altered, rejected]) => (altered && rejected !== undefined ? altered - rejected : null),
};

const isLayered = ({ topology, security, payloadCipher }: Levels) =>
  topology === bridge && security === 'plain' && payloadCipher !== 'none';
const isTlsOnly = ({ topology, security, payloadCipher }: Levels) =>
  topology !== bridge && security === 'TLS 1.3' && payloadCipher === 'none';

export const hecs4mqttClaims: readonly Claim[] = [
  {
    id: 'H1',
    part: 'a',
    line: 392,
    printed: ['Salsa20 consistently maintains the highest throughput'],
    says: 'Salsa20-BLAKE2b has the highest throughput at every payload size.',
    test: againstOthers('cpuPerMessage.publisher', [salsa], { who: 'Salsa20-BLAKE2b', expect: 'lower' }),
    see: ['CPU time of the publisher per message'],
    note: 'With the study’s schedule, pauses determine the throughput. For equal sizes, less CPU time per message means more bytes per second of CPU time.',
  },
  {
    id: 'H2',
    part: 'a',
    line: 394,
    printed: ['Salsa20 and TinyAES offer the fastest processing times'],
    says: 'Salsa20 and TinyAES are the fastest at 1 and 5 KB.',
    test: againstOthers('encryption.mean', [salsa, 'aes-128-ctr-hmac-sha256'], {
      who: 'encrypting',
      expect: 'lower',
      sizes: [1024, 5120],
    }),
    see: ['Encryption time at the publisher'],
    note: 'Here, AES-128-CTR with HMAC-SHA-256 represents TinyAES.',
  },
  {
    id: 'H3',
    part: 'a',
    line: 394,
    printed: ['EAX consistently exhibits the highest latency'],
    says: 'EAX is the slowest cipher at every size.',
    test: againstOthers('encryption.mean', ['aes-256-eax'], { who: 'EAX', expect: 'higher' }),
    see: ['Encryption time at the publisher'],
  },
  {
    id: 'H4',
    part: 'a',
    line: 404,
    printed: ['fewest cycles across all payloads'],
    says: 'Salsa20 needs the fewest CPU cycles at every size.',
    test: againstOthers('perf.cycles.publisher', [salsa], { who: 'Salsa20-BLAKE2b', expect: 'lower' }),
    needs: ({ treatments }) =>
      treatments.some(({ runs }) =>
        runs.some(({ metrics }) => (metrics['perf.cycles.publisher'] ?? null) !== null),
      )
        ? null
        : 'the devices cannot count cycles; claim H1 uses CPU time instead',
    see: ['CPU cycles of the publisher'],
  },
  {
    id: 'H5',
    part: 'b',
    line: 406,
    printed: ['consistently below 500 milliseconds'],
    says: 'Every latency is below 500 ms, the bound for emergency e-health.',
    test: countRuns({
      label: `runs whose slowest message took less than ${emergencyMs} ms`,
      measure: 'latency.max',
      isRight: (ms) => ms < emergencyMs,
      detail: (all) => `slowest ${formatNumber(Math.max(...all))} ms`,
    }),
    see: ['Layered against TLS only'],
  },
  {
    id: 'H6',
    part: 'a',
    line: 298,
    printed: ['0.457'],
    says: 'Every ciphertext passes the approximate entropy test (p above 0.01).',
    test: countRuns({
      label: 'runs whose ciphertexts have a mean p above 0.01',
      measure: 'randomness.apEn.p',
      isRight: (p) => p > 0.01,
      detail: (all) => `lowest ${formatNumber(Math.min(...all))}`,
    }),
    see: ['Approximate entropy of the ciphertext (NIST SP 800-22)'],
    note: 'For a good cipher, p is uniformly distributed from 0 to 1, so a higher p is not better.',
  },
  {
    id: 'H7',
    part: 'c',
    line: 308,
    printed: ['HMAC verification failed'],
    says: 'The bridge rejects every message that was altered or has a wrong MAC.',
    test: countRuns({
      label: 'runs in which the bridge rejected exactly the altered messages',
      measure: passed,
      isRight: (messages) => messages === 0,
    }),
    see: ['Tamper log: messages with one altered bit, sum over all runs'],
  },
  {
    id: 'H8',
    part: 'd',
    line: 271,
    printed: ['Data unreadable, MAC fails'],
    says: 'A compromised cloud broker sees only unreadable data, and its changes fail the MAC check.',
    test: notTestable('no run has a keyless subscriber at the cloud broker, and captures there contain TLS'),
    see: ['What an eavesdropper sees'],
  },
  {
    id: 'H9',
    part: 'b',
    line: 325,
    printed: ['mutual certificate validation and strict topic-based access control'],
    says: 'Mutual certificates and topic-based access rules prevent unauthorised access.',
    test: notTestable('no run connects without a certificate or violates an access rule'),
    see: [],
  },
  {
    id: 'H10',
    part: 'c',
    line: 124,
    printed: ['predefined list of alternative local brokers'],
    says: 'Publishers fall back to the next local broker in their list.',
    test: notTestable('a testbed has one local broker, and no run stops it'),
    see: [],
  },
  {
    id: 'H11',
    part: 'c',
    line: 132,
    printed: ['2 \\times', 'flags the broker as unavailable'],
    says: 'A broker is flagged as unavailable after two missed heartbeats.',
    test: notTestable(
      'no run stops a broker; the heartbeats of the bridge are MQTT pings, not a status topic',
    ),
    see: ['Heartbeats of the bridge'],
  },
  {
    id: 'H12',
    part: 'b',
    line: 435,
    printed: ['Avoided'],
    says: 'Layered encryption avoids the cost of TLS on the device.',
    test: contrast({
      measures: ['cpuPerMessage.publisher', 'energyPerMessage.total'],
      of: isLayered,
      against: isTlsOnly,
      across: ['topology', 'security', 'payloadCipher', 'cipherSuite', 'cloudAuthentication'],
      who: 'layered over TLS end to end',
      expect: 'lower',
    }),
    needs: needsTreatment({ topology: bridge }, 'this testbed has no bridge and no cloud broker'),
    see: ['Layered against TLS only'],
    note: 'The study’s table compares both in words, without measurements.',
  },
];
