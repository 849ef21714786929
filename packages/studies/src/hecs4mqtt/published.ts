import { type PublishedTable, withLevel } from '../published-table.ts';

const aes256 = (mode: string) => withLevel('payloadCipher', `aes-256-${mode}`);
const salsa = withLevel('payloadCipher', 'salsa20-blake2b');
const run = 'ChaCha20-Poly1305 100 messages';
const rounds = [0.88381, 0.283651, 0.987717, 0.411331, 0.928822, 0.696591, 0.213525, 0.452711];
const everyHalfSecond = {
  text: 'one message every 0.5 s, according to its log',
  printed: ['23,509'],
  line: 349,
  holds: withLevel('rate', 2),
};
const encoded = {
  text: 'base64 in JSON',
  printed: ['JSON message'],
  line: 156,
  holds: withLevel('payloadEncoding', 'base64 in JSON'),
};
const images = { text: '100 images per run', printed: ['100 images'], line: 335 };
const counted = (line: number, value: number, measuredBy: string, unit = '') => ({
  unit,
  line,
  measuredBy,
  values: { [run]: value },
});

export const hecs4mqttTables: readonly PublishedTable[] = [
  {
    table: 'publisher-run',
    place:
      'Figure 7, one run: elapsed time; task clock and counters from perf; RSS from psutil; throughput from the program itself, as encrypted bytes divided by elapsed time',
    role: 'publisher',
    conditions: [
      { text: 'CPU and cache from perf, memory from psutil', printed: ['perf', 'psutil'], line: 158 },
      { text: 'this cipher', printed: ['ChaCha20-Poly1305'], line: 335 },
      images,
      everyHalfSecond,
      encoded,
      {
        text: 'not stated; about 4.9 kB before base64, derived from 12,938.14 B/s for 51.07 s over 100 messages; closest to 5 KB',
        printed: ['12938.14'],
        line: 358,
        holds: withLevel('readingBytes', 5 * 1024),
      },
    ],
    rows: { [run]: { holds: withLevel('payloadCipher', 'chacha20-poly1305') } },
    metrics: {
      elapsed: counted(350, 51.07, 'rate.messages', 's'),
      'task clock': counted(351, 93.23, 'cpuPerMessage.publisher', 'ms'),
      cycles: counted(352, 76_346_613, 'perf.cycles.publisher'),
      instructions: counted(353, 65_850_965, 'perf.instructions.publisher'),
      'cache references': counted(354, 2_597_795, 'perf.cacheReferences.publisher'),
      'cache misses': counted(355, 1_993_382, 'perf.cacheMisses.publisher'),
      RSS: counted(356, 24_875_008, 'memory.publisher.mean', 'B'),
      throughput: counted(358, 12_938.14, 'rate.encrypted', 'B/s'),
    },
  },
  {
    table: 'bounds',
    place: 'Section 6.3: lower bounds of figures 10 and 11 at 10 KB',
    role: 'publisher',
    conditions: [
      images,
      everyHalfSecond,
      encoded,
      { text: '10 KB', printed: ['10 KB'], line: 331, holds: withLevel('readingBytes', 10 * 1024) },
    ],
    rows: {
      'Salsa20-BLAKE2b 10 KB': { line: 392, printed: ['Salsa20', '10 KB'], holds: salsa },
      'AES-EAX 10 KB': { line: 394, printed: ['EAX', '10 KB'], holds: aes256('eax') },
    },
    metrics: {
      throughput: {
        measuredBy: 'rate.encrypted',
        unit: 'B/s',
        isAbove: true,
        values: { 'Salsa20-BLAKE2b 10 KB': 26_000 },
      },
      'encryption time': {
        unit: 'ms',
        isAbove: true,
        alone: 'the text does not state whether the time is for one message or for all 100 messages',
        values: { 'AES-EAX 10 KB': 135 },
      },
    },
  },
  {
    table: 'subscriber-log',
    place: 'Figure 9: two messages of one run',
    role: 'subscriber',
    conditions: [{ text: 'AES-256-GCM from the bridge', printed: ['AES_GCM'], line: 253 }],
    rows: {
      'message 1': {
        line: 384,
        alone:
          'one message over the Internet to a cloud broker; payload and cipher at the edge are not stated',
      },
      'message 2': {
        line: 388,
        alone:
          'one message over the Internet to a cloud broker; payload and cipher at the edge are not stated',
      },
    },
    metrics: {
      latency: { unit: 'ms', values: { 'message 1': 371.920347, 'message 2': 384.84478 } },
      'decryption time': { unit: 'ms', values: { 'message 1': 1.969099, 'message 2': 0.310183 } },
    },
  },
  {
    table: 'approximate-entropy',
    place: 'Section 6.2: NIST SP 800-22, mean p over the ciphertexts',
    role: 'publisher',
    conditions: [{ text: 'passes above 0.01', printed: ['0.01'], line: 296 }],
    rows: {
      'AES-CCM8': { line: 298, printed: ['AES-CCM8'], holds: aes256('ccm-8') },
      'AES-EAX': { line: 298, printed: ['AES-EAX'], holds: aes256('eax') },
      'AES-GCM': { line: 298, printed: ['AES-GCM'], holds: aes256('gcm') },
      TinyAES: {
        line: 298,
        printed: ['TinyAES'],
        holds: withLevel('payloadCipher', 'aes-128-ctr-hmac-sha256'),
      },
      'Salsa20-BLAKE2b': { line: 298, printed: ['Salsa20-Blake2b'], holds: salsa },
    },
    metrics: {
      'mean p': {
        unit: '',
        measuredBy: 'randomness.apEn.p',
        values: {
          'AES-CCM8': 0.457,
          'AES-EAX': 0.403,
          'AES-GCM': 0.846,
          TinyAES: 0.296,
          'Salsa20-BLAKE2b': 0.607,
        },
      },
    },
  },
  {
    table: 'approximate-entropy-rounds',
    place: 'Table 2: NIST SP 800-22, p for single rounds of Salsa20-BLAKE2b',
    role: 'publisher',
    conditions: [{ text: 'passes above 0.01', printed: ['0.01'], line: 296 }],
    rows: Object.fromEntries(
      rounds.map((_, index) => [
        `round ${index + 1}`,
        {
          line: 303,
          printed: ['Salsa20-Blake2b'],
          alone: 'a single round, which may have any p between 0 and 1 by chance',
        },
      ]),
    ),
    metrics: {
      p: { unit: '', values: Object.fromEntries(rounds.map((p, index) => [`round ${index + 1}`, p])) },
    },
  },
];
