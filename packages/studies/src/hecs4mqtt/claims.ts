import {
  type Claim,
  contrast,
  count,
  type Levels,
  notTestable,
  type PartEvidence,
} from '@mqttlab/shared/analysis/claims/claim';
import { valuesOf } from '@mqttlab/shared/analysis/claims/lines';
import type { PayloadCipherId } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { formatNumber } from '@mqttlab/shared/format/number';
import { needsTreatment } from '../claims/needs.ts';

const salsa = { payloadCipher: 'salsa20-blake2b' };
const tiny = { payloadCipher: 'aes-128-ctr-hmac-sha256' };
const eax = { payloadCipher: 'aes-256-eax' };
/** The ciphers that the study measured, by the nearest scheme that authenticates. */
export const measured: readonly PayloadCipherId[] = [
  'chacha20-poly1305',
  'aes-256-gcm',
  'aes-256-eax',
  'aes-256-ccm-8',
  'aes-128-ctr-hmac-sha256',
  'salsa20-blake2b',
];
const bridged = { topology: 're-encrypting bridge' };
const except = (...ciphers: readonly string[]) => ({
  payloadCipher: measured.filter((cipher) => !ciphers.includes(cipher)),
});
/** ms; the bound for emergency e-health. */
const emergencyMs = 500;

function slowestMessages({ treatments, flagged }: PartEvidence) {
  const slowest = treatments.flatMap((one) =>
    valuesOf(one, 'latency.max', flagged).map(({ value }) => value),
  );
  return [
    {
      label: `runs whose slowest message took less than ${emergencyMs} ms`,
      right: slowest.filter((ms) => ms < emergencyMs).length,
      of: slowest.length,
      detail: `slowest ${formatNumber(Math.max(0, ...slowest))} ms`,
    },
  ];
}

function entropies({ treatments, flagged }: PartEvidence) {
  const values = treatments.flatMap((one) =>
    valuesOf(one, 'randomness.apEn.p', flagged).map(({ value }) => value),
  );
  return [
    {
      label: 'runs whose ciphertexts have a mean p above 0.01',
      right: values.filter((p) => p > 0.01).length,
      of: values.length,
      detail: `lowest ${formatNumber(Math.min(1, ...values))}`,
    },
  ];
}

function tampered({ treatments, flagged }: PartEvidence) {
  const runs = treatments.flatMap((one) => {
    const rejected = new Map(
      valuesOf(one, 'bridge.rejected', flagged).map(({ block, value }) => [block, value]),
    );
    return valuesOf(one, 'count.altered', flagged).flatMap(({ block, value: altered }) =>
      altered > 0 && rejected.has(block) ? [{ altered, rejected: rejected.get(block) ?? 0 }] : [],
    );
  });
  return [
    {
      label: 'runs in which the bridge rejected exactly the altered messages',
      right: runs.filter(({ altered, rejected }) => altered === rejected).length,
      of: runs.length,
      detail: `${runs.reduce((sum, { altered }) => sum + altered, 0)} messages altered`,
    },
  ];
}

const isLayered = ({ topology, security, payloadCipher }: Levels) =>
  topology === 're-encrypting bridge' && security === 'plain' && payloadCipher !== 'none';
const isTlsOnly = ({ topology, security, payloadCipher }: Levels) =>
  topology !== 're-encrypting bridge' && security === 'TLS 1.3' && payloadCipher === 'none';

export const hecs4mqttClaims: readonly Claim[] = [
  {
    id: 'H1',
    part: 'a',
    line: 392,
    printed: ['Salsa20 consistently maintains the highest throughput'],
    says: 'Salsa20-BLAKE2b has the highest throughput at every payload size.',
    test: contrast({
      measures: ['cpuPerMessage.publisher'],
      of: salsa,
      against: except('salsa20-blake2b'),
      eachOther: 'payloadCipher',
      each: ['readingBytes'],
      who: 'Salsa20-BLAKE2b',
      expect: 'lower',
    }),
    see: 'CPU time of the publisher for each message',
    note: 'At the study’s schedule the pause sets the throughput; at equal size, less CPU time for a message is more bytes for a second of CPU.',
  },
  {
    id: 'H2',
    part: 'a',
    line: 394,
    printed: ['Salsa20 and TinyAES offer the fastest processing times'],
    says: 'Salsa20 and TinyAES encrypt fastest at 1 and 5 KB.',
    test: contrast({
      measures: ['encryption.mean'],
      of: { payloadCipher: [salsa.payloadCipher, tiny.payloadCipher] },
      against: except(salsa.payloadCipher, tiny.payloadCipher),
      where: { readingBytes: [1024, 5120] },
      each: ['payloadCipher', 'readingBytes'],
      eachOther: 'payloadCipher',
      who: 'encrypting',
      expect: 'lower',
    }),
    see: 'Encryption time at the publisher',
    note: 'TinyAES is AES-128-CTR with HMAC-SHA-256 here.',
  },
  {
    id: 'H3',
    part: 'a',
    line: 394,
    printed: ['EAX consistently exhibits the highest latency'],
    says: 'EAX encrypts slowest at every size.',
    test: contrast({
      measures: ['encryption.mean'],
      of: eax,
      against: except(eax.payloadCipher),
      eachOther: 'payloadCipher',
      each: ['readingBytes'],
      who: 'EAX',
      expect: 'higher',
    }),
    see: 'Encryption time at the publisher',
  },
  {
    id: 'H4',
    part: 'a',
    line: 404,
    printed: ['fewest cycles across all payloads'],
    says: 'Salsa20 needs the fewest CPU cycles at every size.',
    test: contrast({
      measures: ['perf.cycles.publisher'],
      of: salsa,
      against: except(salsa.payloadCipher),
      eachOther: 'payloadCipher',
      each: ['readingBytes'],
      who: 'Salsa20-BLAKE2b',
      expect: 'lower',
    }),
    needs: ({ treatments }) =>
      treatments.some(({ runs }) =>
        runs.some(({ metrics }) => (metrics['perf.cycles.publisher'] ?? null) !== null),
      )
        ? null
        : 'the devices count no cycles; claim H1 is judged by CPU time instead',
    see: 'CPU time of the publisher for each message',
  },
  {
    id: 'H5',
    part: 'b',
    line: 406,
    printed: ['consistently below 500 milliseconds'],
    says: 'Every latency is below 500 ms, the bound for emergency e-health.',
    test: count(slowestMessages),
    see: 'Layered against TLS only',
  },
  {
    id: 'H6',
    part: 'a',
    line: 298,
    printed: ['0.457'],
    says: 'The approximate entropy of every ciphertext passes (p above 0.01).',
    test: count(entropies),
    see: 'Approximate entropy of the ciphertext',
    note: 'p of a good cipher is spread evenly from 0 to 1: a higher p is not better.',
  },
  {
    id: 'H7',
    part: 'c',
    line: 308,
    printed: ['HMAC verification failed'],
    says: 'The bridge rejects every message that was altered or has a wrong MAC.',
    test: count(tampered),
    see: 'Tamper log',
  },
  {
    id: 'H8',
    part: 'd',
    line: 271,
    printed: ['Data unreadable, MAC fails'],
    says: 'A cloud broker that was taken over sees unreadable data, and the MAC fails.',
    test: notTestable('no run has a subscriber without a key at the cloud broker; captures there see TLS'),
    see: 'What an eavesdropper sees',
  },
  {
    id: 'H9',
    part: 'b',
    line: 325,
    printed: ['mutual certificate validation and strict topic-based access control'],
    says: 'Mutual certificates and access rules for topics keep others out.',
    test: notTestable('no run tries to connect without a certificate or to publish against a rule'),
    see: null,
  },
  {
    id: 'H10',
    part: 'c',
    line: 124,
    printed: ['predefined list of alternative local brokers'],
    says: 'Publishers fall back along their list of local brokers.',
    test: notTestable('a testbed has one local broker, and no run stops it'),
    see: null,
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
    see: 'Heartbeats of the bridge',
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
    needs: needsTreatment(bridged, 'no device of this testbed is a bridge and a cloud broker'),
    see: 'Layered against TLS only',
    note: 'The table of the study compares both in words; it measured neither.',
  },
];
