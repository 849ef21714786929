import type { PublishedGroup } from './published-group.ts';

/** As printed. */
export const rpiBrokerPublished: readonly PublishedGroup[] = [
  {
    study: 'rpi-broker',
    table: 'bytes-to-state',
    metric: 'bytes',
    unit: 'B',
    source:
      'Experiment 2: captured frame lengths, no retransmissions, payload 0 bytes, topic 4 bytes, MQTT 5.0',
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
  {
    study: 'rpi-broker',
    table: 'subscribers',
    metric: 'broker CPU',
    unit: '% of one core',
    source: 'Experiment 1: mean of 10 readings, every 2 s; the whole board is 400 %',
    values: {
      'TLS QoS 0 10 subscribers': 206.84,
      'TLS QoS 0 100 subscribers': 325.34,
    },
  },
  {
    study: 'rpi-broker',
    table: 'subscribers',
    metric: 'saturation',
    unit: 'subscribers',
    source: 'Experiment 1: mean of 10 readings, every 2 s; the whole board is 400 %',
    values: {
      'TLS QoS 0': 156.33,
    },
  },
  {
    study: 'rpi-broker',
    table: 'loss',
    metric: 'throughput',
    unit: 'MB/min',
    source: 'Experiment 3: payload MB / median latency in minutes, 1000 trials each',
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
  {
    study: 'rpi-broker',
    table: 'subscribers',
    metric: 'slope',
    unit: '% per subscriber',
    source: 'Linear fit of experiment 1',
    values: {
      'TLS QoS 0': 1.32,
    },
  },
  {
    study: 'rpi-broker',
    table: 'subscribers',
    metric: 'intercept',
    unit: '% of one core',
    source: 'Linear fit of experiment 1',
    values: {
      'TLS QoS 0': 193.64,
    },
  },
  {
    study: 'rpi-broker',
    table: 'subscribers',
    metric: 'peak memory',
    unit: '% of the board',
    source: 'Experiment 1',
    values: {
      'QoS 2 100 subscribers': 13,
    },
  },
  {
    study: 'rpi-broker',
    table: 'loss',
    metric: 'latency, median',
    unit: 'ms',
    source: 'Experiment 3, box plot',
    values: {
      'MQTT 2%': 10.48,
    },
  },
  {
    study: 'rpi-broker',
    table: 'loss',
    metric: 'latency, third quartile',
    unit: 'ms',
    source: 'Experiment 3, box plot',
    values: {
      'MQTT 0%': 13.4,
      'MQTT 2%': 133.21,
    },
  },
];
