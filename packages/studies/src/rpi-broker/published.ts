import { both, overTls, type PublishedTable, withLevel } from '../published-table.ts';

const plain = withLevel('security', 'plain');
const tlsAtQos0 = both(overTls, withLevel('qos', 0));
const atFullSpeed = {
  text: 'one publisher, as fast as possible',
  printed: ['one publisher', 'as many MQTT packets as possible'],
  line: 114,
  holds: both(withLevel('rate', 'max'), withLevel('publishers', 1)),
};
const states = ['CON', 'SUB', 'PUB', 'DISC'];
const losses = [0, 2, 4, 6, 8, 10];
const byLoss = (name: string, values: readonly number[]) =>
  Object.fromEntries(losses.map((loss, index) => [`${name} ${loss}%`, values[index] ?? Number.NaN]));
const byState = (name: string, values: readonly number[]) =>
  Object.fromEntries(states.map((state, index) => [`${name} ${state}`, values[index] ?? Number.NaN]));

export const rpiBrokerTables: readonly PublishedTable[] = [
  {
    table: 'bytes-to-state',
    place: 'Table 3: captured frame lengths without retransmissions',
    role: 'client and broker together',
    conditions: [
      { text: 'MQTT 5.0', printed: ['MQTT version 5.0'], line: 202, holds: withLevel('mqttVersion', '5.0') },
      { text: 'payload of 0 B', printed: ['payload length of 0 bytes'], line: 202 },
      { text: 'topic of 4 B', printed: ['topic length of 4 bytes'], line: 202 },
      { text: 'states from CON', printed: ['achieved from the CON state'], line: 202 },
    ],
    rows: {
      ...Object.fromEntries(states.map((state) => [`TCP ${state}`, { line: 147, holds: plain }])),
      ...Object.fromEntries(
        states.map((state) => [`TLS ${state}`, { line: 148, printed: ['TLS'], holds: overTls }]),
      ),
    },
    metrics: {
      bytes: {
        unit: 'B',
        values: { ...byState('TCP', [194, 148, 424, 268]), ...byState('TLS', [3382, 262, 512, 380]) },
      },
    },
  },
  {
    table: 'subscribers',
    place:
      'Section 5.3 and figure 2: mean of 10 readings from top, taken every 2 s; the whole board is 400 %',
    role: 'broker',
    conditions: [
      atFullSpeed,
      { text: 'mean of 10 readings', printed: ['10 iterations'], line: 114 },
      { text: '400 % is the whole board', printed: ['four cores', '400%'], line: 118 },
    ],
    rows: {
      'TLS QoS 0 10 subscribers': { line: 164, holds: both(tlsAtQos0, withLevel('subscribers', 10)) },
      'TLS QoS 0 100 subscribers': {
        line: 156,
        printed: ['TLS', 'QOS 0', '100 subscribers'],
        holds: both(tlsAtQos0, withLevel('subscribers', 100)),
      },
      'TLS QoS 0': { line: 166, holds: tlsAtQos0 },
      'QoS 2 100 subscribers': {
        line: 175,
        printed: ['QOS 2', '100 subscribers'],
        holds: both(withLevel('qos', 2), withLevel('subscribers', 100)),
      },
    },
    metrics: {
      'broker CPU': {
        unit: '% of one core',
        measuredBy: 'cpu.broker',
        values: { 'TLS QoS 0 10 subscribers': 206.84, 'TLS QoS 0 100 subscribers': 325.34 },
      },
      slope: { measuredBy: 'cpu.broker', unit: '% per subscriber', line: 166, values: { 'TLS QoS 0': 1.32 } },
      intercept: {
        measuredBy: 'cpu.broker',
        unit: '% of one core',
        line: 166,
        values: { 'TLS QoS 0': 193.64 },
      },
      saturation: {
        measuredBy: 'cpu.broker',
        unit: 'subscribers',
        line: 171,
        values: { 'TLS QoS 0': 156.33 },
      },
      'peak memory': {
        measuredBy: 'memoryShare.broker',
        unit: '% of the board',
        values: { 'QoS 2 100 subscribers': 13 },
      },
    },
  },
  {
    table: 'loss',
    place: 'Table 4 and figure 4: payload divided by the median latency of 1,000 trials',
    role: 'client',
    conditions: [
      {
        text: 'loss before the broker handles the packet, in only one direction',
        printed: ['tc', 'before the server'],
        line: 122,
        // Without loss, the direction does not matter.
        holds: ({ levels }) => levels.loss === 0 || levels.impairedDirection === 'towards the broker',
      },
      { text: 'median of 1,000 trials', printed: ['1000 trials'], line: 184 },
      {
        text: 'payload of 1,000 B (not stated; derived from 5.73 MB/min at a median of 10.48 ms, which is 1,001 B)',
        printed: ['10.48 ms'],
        line: 177,
        holds: withLevel('readingBytes', 1000),
      },
    ],
    rows: {
      ...Object.fromEntries(
        losses.map((loss) => [
          `MQTT ${loss}%`,
          {
            line: 197,
            printed: ['MQTT'],
            holds: both(withLevel('applicationProtocol', 'mqtt'), withLevel('loss', loss)),
          },
        ]),
      ),
      ...Object.fromEntries(
        losses.map((loss) => [
          `CoAP ${loss}%`,
          {
            line: 198,
            printed: ['CoAP'],
            holds: both(
              withLevel('applicationProtocol', 'coap confirmable', 'coap non-confirmable'),
              withLevel('loss', loss),
            ),
          },
        ]),
      ),
    },
    metrics: {
      throughput: {
        unit: 'MB/min',
        measuredBy: 'exchange.throughput',
        values: {
          ...byLoss('MQTT', [6.07, 5.73, 2.81, 0.59, 0.54, 0.35]),
          ...byLoss('CoAP', [6, 6.03, 6.03, 6.15, 6.25, 6.09]),
        },
      },
      'latency, median': { measuredBy: 'exchange.p50', unit: 'ms', line: 177, values: { 'MQTT 2%': 10.48 } },
      'latency, third quartile': {
        measuredBy: 'exchange.p75',
        unit: 'ms',
        line: 177,
        values: { 'MQTT 0%': 13.4, 'MQTT 2%': 133.21 },
      },
    },
  },
];
