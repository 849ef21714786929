import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import { both, type PublishedCondition, type PublishedTable, withLevel } from '../published-table.ts';

const open = withLevel('payloadCipher', 'none');
const rows = {
  plain: { line: 271, printed: ['MQTT (No Encryption)'], holds: both(withLevel('security', 'plain'), open) },
  'TLS 1.2': { line: 272, printed: ['MQTT + TLS 1.2'], holds: both(withLevel('security', 'TLS 1.2'), open) },
  'ECDH+AES-128-CBC': {
    line: 273,
    printed: ['MQTT + ECC–AES'],
    holds: withLevel('payloadCipher', 'ecdh-p256-aes-128-cbc-as-published'),
  },
};
type Name = keyof typeof rows;
/** Metric from which current, charge and battery life are derived. */
const power = 'power.publisher';
const names = Object.keys(rows) as Name[];

function byName(...values: readonly number[]): Record<string, number> {
  return Object.fromEntries(values.map((value, index) => [names[index] ?? '', value]));
}

const whole = {
  text: 'runs of 600 s',
  printed: ['600 s'],
  line: 257,
  holds: ({ spec }: { spec: { measureMs: number } }) => spec.measureMs === 600_000,
};
const segments = { text: 'segments of 120 s', printed: ['120 s'], line: 257 };
/** Returns coefficients of variation from Table 4, in percent; the column headers name the configuration. */
const variation = (line: number, ...values: readonly number[]) => ({
  unit: '%',
  line,
  conditions: [whole, segments],
  values: byName(...values),
});
const oneWay =
  'a round trip via the broker, because the clocks were not synchronised in that run; the others are one-way';

const repetitions = {
  text: 'five repetitions',
  printed: ['Number of independent repetitions', '5'],
  line: 224,
};
const tlsConditions: readonly PublishedCondition[] = [
  {
    text: 'TLS: RSA 2048, one certificate',
    printed: ['2048-bit RSA', 'single-certificate chain'],
    line: 216,
  },
  {
    text: 'TLS: typically RSA key exchange',
    printed: ['RSA-based key exchange'],
    line: 216,
    holds: ({ levels }) =>
      levels.security === 'plain' || describeSuite(String(levels.cipherSuite)).keyExchange === 'RSA',
  },
];
const always = [repetitions, ...tlsConditions];

/** All values in the summary share a name; place, role and conditions are set per line. */
export const stabilityAwareTables: readonly PublishedTable[] = [
  {
    table: 'summary',
    place: 'Table 5: summary over runs of 600 s',
    role: 'emitter',
    conditions: [{ text: 'of the emitter', printed: ['emitter node'], line: 268 }, ...always],
    rows,
    metrics: {
      'mean current': { unit: 'mA', measuredBy: power, values: byName(78.4, 92.7, 84.9) },
      'cumulative energy': {
        unit: 'mAh',
        measuredBy: power,
        conditions: [whole],
        values: byName(13.07, 15.45, 14.15),
      },
      'mean latency': {
        unit: 'ms',
        measuredBy: 'latency.mean',
        alone: { plain: oneWay },
        values: byName(24.8, 41.5, 32.1),
      },
      RAM: {
        unit: 'KB',
        alone: 'the static memory of a firmware image; our value is the memory of a process at run time',
        values: byName(48.3, 73.9, 59.6),
      },
    },
  },
  {
    table: 'summary',
    place: 'Table 4: variation over segments, emitter',
    role: 'emitter',
    conditions: always,
    rows,
    metrics: {
      'CV of current': { ...variation(260, 1.05, 0.2, 0.36), measuredBy: power },
      'CV of energy': { ...variation(262, 1.05, 0.21, 0.35), measuredBy: power },
    },
  },
  {
    table: 'summary',
    place: 'Table 4: variation over segments, receiver',
    role: 'receiver',
    conditions: always,
    rows,
    metrics: {
      'CV of current, receiver': { ...variation(261, 1, 0.54, 1.1), measuredBy: 'power.subscriber' },
      'CV of energy, receiver': { ...variation(263, 0.99, 0.52, 1.09), measuredBy: 'power.subscriber' },
    },
  },
  {
    table: 'summary',
    place: 'Table 4: variation over segments, latency',
    role: 'emitter to receiver',
    conditions: always,
    rows,
    metrics: {
      'CV of latency': {
        ...variation(264),
        measuredBy: 'latency.mean',
        values: { 'TLS 1.2': 2.24, 'ECDH+AES-128-CBC': 5.18 },
      },
    },
  },
  {
    table: 'summary',
    place: 'Section 3.4, in prose above Table 4',
    role: 'emitter to receiver',
    conditions: always,
    rows,
    metrics: {
      'CV of latency, according to the text': {
        unit: '%',
        line: 253,
        alone: 'contradicts the 2.24 % in Table 4, which is compared with our value',
        values: { 'TLS 1.2': 4.7 },
      },
    },
  },
  {
    table: 'summary',
    place: 'Discussion, in prose: projections from Table 5',
    role: 'emitter',
    conditions: always,
    rows,
    metrics: {
      'battery life': {
        unit: 'months',
        line: 521,
        measuredBy: power,
        values: { plain: 12, 'TLS 1.2': 10.1, 'ECDH+AES-128-CBC': 11.1 },
      },
      'energy over plain': {
        unit: '%',
        line: 521,
        measuredBy: power,
        conditions: [whole],
        values: { 'TLS 1.2': 18.2, 'ECDH+AES-128-CBC': 8.3 },
      },
    },
  },
];
