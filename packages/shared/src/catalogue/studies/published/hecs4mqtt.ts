import type { PublishedGroup } from './published-group.ts';

/** As printed. */
export const hecs4mqttPublished: readonly PublishedGroup[] = [
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    metric: 'elapsed',
    unit: 's',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    values: {
      'ChaCha20-Poly1305 100 messages': 51.07,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    metric: 'task clock',
    unit: 'ms',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    values: {
      'ChaCha20-Poly1305 100 messages': 93.23,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    metric: 'cycles',
    unit: '',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    values: {
      'ChaCha20-Poly1305 100 messages': 76_346_613,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    metric: 'instructions',
    unit: '',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    values: {
      'ChaCha20-Poly1305 100 messages': 65_850_965,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    metric: 'cache references',
    unit: '',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    values: {
      'ChaCha20-Poly1305 100 messages': 2_597_795,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    metric: 'cache misses',
    unit: '',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    values: {
      'ChaCha20-Poly1305 100 messages': 1_993_382,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    metric: 'RSS',
    unit: 'B',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    values: {
      'ChaCha20-Poly1305 100 messages': 24_875_008,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    metric: 'throughput',
    unit: 'B/s',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    values: {
      'ChaCha20-Poly1305 100 messages': 12938.14,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'approximate-entropy',
    metric: 'mean p',
    unit: '',
    source: 'NIST SP 800-22, mean p of the ciphertexts',
    values: {
      'AES-CCM8': 0.457,
      'AES-EAX': 0.403,
      'AES-GCM': 0.846,
      TinyAES: 0.296,
      'Salsa20-BLAKE2b': 0.607,
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'approximate-entropy-rounds',
    metric: 'p',
    unit: '',
    source: 'NIST SP 800-22, p of single rounds of Salsa20-BLAKE2b; pass at p > 0.01',
    values: {
      'round 1': 0.884,
      'round 2': 0.284,
      'round 3': 0.988,
      'round 4': 0.411,
      'round 5': 0.929,
      'round 6': 0.697,
      'round 7': 0.214,
      'round 8': 0.453,
    },
  },
];
