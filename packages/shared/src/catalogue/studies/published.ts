/** A figure as it was published: reference data, never what our own measurements are expected to be. */
export interface PublishedValue {
  study: string;
  /** Table or figure of the study. */
  table: string;
  /** Configuration, as the study names it. */
  treatment: string;
  metric: string;
  unit: string;
  value: number;
  /** Where it stands and how it came about. */
  source: string;
}

/** Figures that stand at one place, by quantity and configuration. */
interface PublishedTable {
  study: string;
  table: string;
  source: string;
  metrics: Readonly<Record<string, { unit: string; values: Readonly<Record<string, number>> }>>;
}

/** As printed. */
const tables: readonly PublishedTable[] = [
  {
    study: 'rpi-broker',
    table: 'bytes-to-state',
    source:
      'Experiment 2: captured frame lengths, no retransmissions, payload 0 bytes, topic 4 bytes, MQTT 5.0',
    metrics: {
      bytes: {
        unit: 'B',
        values: {
          'TCP CON': 194,
          'TCP SUB': 148,
          'TCP PUB': 424,
          'TCP DISC': 268,
          'TLS CON': 3382,
          'TLS SUB': 262,
          'TLS PUB': 512,
          'TLS DISC': 380,
        },
      },
    },
  },
  {
    study: 'rpi-broker',
    table: 'subscribers',
    source: 'Experiment 1: mean of 10 readings, every 2 s; the whole board is 400 %',
    metrics: {
      'broker CPU': {
        unit: '% of one core',
        values: { 'TLS QoS 0 10 subscribers': 206.84, 'TLS QoS 0 100 subscribers': 325.34 },
      },
      saturation: { unit: 'subscribers', values: { 'TLS QoS 0': 156.33 } },
    },
  },
  {
    study: 'rpi-broker',
    table: 'loss',
    source: 'Experiment 3: payload MB / median latency in minutes, 1000 trials each',
    metrics: {
      throughput: {
        unit: 'MB/min',
        values: {
          'MQTT 0%': 6.07,
          'MQTT 2%': 5.73,
          'MQTT 4%': 2.81,
          'MQTT 6%': 0.59,
          'MQTT 8%': 0.54,
          'MQTT 10%': 0.35,
          'CoAP 0%': 6,
          'CoAP 2%': 6.03,
          'CoAP 4%': 6.03,
          'CoAP 6%': 6.15,
          'CoAP 8%': 6.25,
          'CoAP 10%': 6.09,
        },
      },
    },
  },
  {
    study: 'rpi-broker',
    table: 'subscribers',
    source: 'Linear fit of experiment 1',
    metrics: {
      slope: { unit: '% per subscriber', values: { 'TLS QoS 0': 1.32 } },
      intercept: { unit: '% of one core', values: { 'TLS QoS 0': 193.64 } },
    },
  },
  {
    study: 'rpi-broker',
    table: 'subscribers',
    source: 'Experiment 1',
    metrics: { 'peak memory': { unit: '% of the board', values: { 'QoS 2 100 subscribers': 13 } } },
  },
  {
    study: 'rpi-broker',
    table: 'loss',
    source: 'Experiment 3, box plot',
    metrics: {
      'latency, median': { unit: 'ms', values: { 'MQTT 2%': 10.48 } },
      'latency, third quartile': { unit: 'ms', values: { 'MQTT 0%': 13.4, 'MQTT 2%': 133.21 } },
    },
  },
  {
    study: 'cipher-suites',
    table: 'best-worst',
    source: 'Best and worst suite by link, MQTT and TLS version at QoS 0; suite names as printed',
    metrics: {
      bandwidth: {
        unit: 'msg/s',
        values: {
          'Ethernet MQTT 3.1.1 TLS 1.2 best ECDHE-RSA-CHACHA20-POLY1305': 21295,
          'Ethernet MQTT 3.1.1 TLS 1.2 worst ECDHE-ECDSA-AES256-SHA': 17353,
          'WiFi-2.4 MQTT 3.1.1 TLS 1.2 best AES256-GCM-SHA384': 22623,
          'WiFi-2.4 MQTT 3.1.1 TLS 1.2 worst DHE-RSA-CHACHA20-POLY1305': 10527,
          'WiFi-2.4 MQTT 3.1.1 TLS 1.3 best ECDHE-ECDSA-AES256-GCM-SHA384': 22525,
          'WiFi-2.4 MQTT 3.1.1 TLS 1.3 worst DHE-RSA-AES256-GCM-SHA384': 21553,
          'WiFi-2.4 MQTT 5.0 TLS 1.2 best AES128-GCM-SHA256': 20661,
          'WiFi-2.4 MQTT 5.0 TLS 1.2 worst ECDHE-RSA-CHACHA20-POLY1305': 10597,
          'WiFi-2.4 MQTT 5.0 TLS 1.3 best ECDHE-RSA-AES256-GCM-SHA384': 21553,
          'WiFi-2.4 MQTT 5.0 TLS 1.3 worst DHE-RSA-AES256-GCM-SHA384': 20242,
          '4G-LTE MQTT 3.1.1 TLS 1.2 best DHE-RSA-CHACHA20-POLY1305': 22239,
          '4G-LTE MQTT 3.1.1 TLS 1.2 worst ECDHE-RSA-AES128-GCM-SHA256': 12819,
          '4G-LTE MQTT 5.0 TLS 1.2 best AES128-SHA': 22526,
          '4G-LTE MQTT 5.0 TLS 1.2 worst ECDHE-ECDSA-AES128-SHA': 13743,
          '4G-LTE MQTT 3.1.1 TLS 1.3 best ECDHE-ECDSA-AES256-GCM-SHA384': 22333,
          '4G-LTE MQTT 3.1.1 TLS 1.3 worst TLS-AES-128-GCM-SHA256': 5376,
          '4G-LTE MQTT 5.0 TLS 1.3 best TLS-CHACHA20-POLY1305-SHA256': 21461,
          '4G-LTE MQTT 5.0 TLS 1.3 worst ECDHE-RSA-AES256-GCM-SHA384': 21113,
        },
      },
    },
  },
  {
    study: 'stability-aware',
    table: 'summary',
    source: 'Table of the emitter: 600 s, five repetitions',
    metrics: {
      'mean current': { unit: 'mA', values: { plain: 78.4, 'TLS 1.2': 92.7, 'ECDH+AES-128-CBC': 84.9 } },
      'cumulative energy': {
        unit: 'mAh',
        values: { plain: 13.07, 'TLS 1.2': 15.45, 'ECDH+AES-128-CBC': 14.15 },
      },
      'mean latency': { unit: 'ms', values: { plain: 24.8, 'TLS 1.2': 41.5, 'ECDH+AES-128-CBC': 32.1 } },
      RAM: { unit: 'KB', values: { plain: 48.3, 'TLS 1.2': 73.9, 'ECDH+AES-128-CBC': 59.6 } },
    },
  },
  {
    study: 'stability-aware',
    table: 'summary',
    source: 'Emitter, contiguous segments of 120 s',
    metrics: {
      'CV of current': { unit: '%', values: { plain: 1.05, 'TLS 1.2': 0.2, 'ECDH+AES-128-CBC': 0.36 } },
      'CV of latency': { unit: '%', values: { 'TLS 1.2': 2.24, 'ECDH+AES-128-CBC': 5.18 } },
    },
  },
  {
    study: 'stability-aware',
    table: 'summary',
    source: 'Projection from 12 months on plain',
    metrics: {
      'battery life': { unit: 'months', values: { plain: 12, 'TLS 1.2': 10.1, 'ECDH+AES-128-CBC': 11.1 } },
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'publisher-run',
    source: 'perf stat of one run of 100 messages at 0.5 s',
    metrics: {
      elapsed: { unit: 's', values: { 'ChaCha20-Poly1305 100 messages': 51.07 } },
      'task clock': { unit: 'ms', values: { 'ChaCha20-Poly1305 100 messages': 93.23 } },
      cycles: { unit: '', values: { 'ChaCha20-Poly1305 100 messages': 76_346_613 } },
      instructions: { unit: '', values: { 'ChaCha20-Poly1305 100 messages': 65_850_965 } },
      'cache references': { unit: '', values: { 'ChaCha20-Poly1305 100 messages': 2_597_795 } },
      'cache misses': { unit: '', values: { 'ChaCha20-Poly1305 100 messages': 1_993_382 } },
      RSS: { unit: 'B', values: { 'ChaCha20-Poly1305 100 messages': 24_875_008 } },
      throughput: { unit: 'B/s', values: { 'ChaCha20-Poly1305 100 messages': 12938.14 } },
    },
  },
  {
    study: 'hecs4mqtt',
    table: 'approximate-entropy',
    source: 'NIST SP 800-22, mean p of the ciphertexts',
    metrics: {
      'mean p': {
        unit: '',
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
    study: 'hecs4mqtt',
    table: 'approximate-entropy-rounds',
    source: 'NIST SP 800-22, p of single rounds of Salsa20-BLAKE2b; pass at p > 0.01',
    metrics: {
      p: {
        unit: '',
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
    },
  },
];

export const publishedValues: readonly PublishedValue[] = tables.flatMap(({ metrics, ...place }) =>
  Object.entries(metrics).flatMap(([metric, { unit, values }]) =>
    Object.entries(values).map(([treatment, value]) => ({ ...place, metric, unit, treatment, value })),
  ),
);

type Question = Partial<Pick<PublishedValue, 'study' | 'table' | 'metric' | 'treatment' | 'unit'>>;

/** Figures that answer a question, in the order of the study. */
export function findPublished(question: Question): PublishedValue[] {
  const wanted = Object.entries(question) as [keyof Question, string][];
  return publishedValues.filter((entry) => wanted.every(([name, value]) => entry[name] === value));
}

/** The one figure of a configuration; null where the study gives none. */
export function publishedNumber(question: Required<Omit<Question, 'unit'>>): number | null {
  return findPublished(question)[0]?.value ?? null;
}
