import type { Quantity } from '@mqttlab/charts/blocks/blocks';
import type { Measure } from '@mqttlab/shared/analysis/claims/claim';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { byScale, type PartPlan, type StudyScale } from '@mqttlab/shared/planning/study';
import { linksOfKinds, measuredEnergy, needLink, switchableAes } from '../needs.ts';
import type { PageBlock } from '../page/input.ts';
import type { PublishedStudy } from '../study.ts';
import {
  busiest,
  cpuPerReading,
  energyPerReading,
  executionTime,
  roles,
  v2xTlsClaims,
  wirePerReading,
} from './claims.ts';

/**
 * Readings from a vehicle, which are small and frequent. 16 readings per message result in a packet of 1.6
 * kB.
 */
const readingBytes = 100;

function planOf(testbed: TestbedView, scale: StudyScale, rate: number | 'max'): PartPlan {
  const at = byScale(scale);
  const isFull = rate === 'max';
  return {
    factors: {
      security: ['plain', 'TLS 1.3'],
      cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
      group: ['X25519'],
      certificate: ['ECDSA P-256'],
      qos: [1],
      readingBytes: [readingBytes],
      readingsPerMessage: at([1, 16], [1, 4, 16], [1, 4, 16, 64]),
      rate: [rate],
      link: linksOfKinds(testbed, ['ethernet', 'wifi']),
    },
    workload: isFull
      ? { kind: 'stream', warmUpMs: at(200, 1000, 5000), measureMs: at(600, 5000, 60_000), window: 100 }
      : { kind: 'stream', warmUpMs: at(300, 2000, 5000), measureMs: at(1200, 10_000, 60_000) },
    repetitions: at(3, 5, 30),
    sampleHz: at(10, 10, 1),
    response: isFull ? 'rate.goodput' : 'cpu.publisher',
  };
}

/** Plans large messages, so that the cipher dominates; earlier parts use the other message sizes. */
function planInstructions(testbed: TestbedView, scale: StudyScale): PartPlan {
  const plan = planOf(testbed, scale, 'max');
  return {
    ...plan,
    factors: {
      ...plan.factors,
      security: ['TLS 1.3'],
      readingsPerMessage: [64],
      aesInstructions: testbed.aesRefusal === null ? ['used', 'off'] : ['used'],
    },
    response: 'cpuPerMessage.publisher',
  };
}

/** Plain and each cipher side by side, grouped by packaging and link. */
const costs = {
  colours: ['security', 'cipherSuite'],
  names: ['readingsPerMessage', 'link', 'aesInstructions'],
};

function capitalised(role: string): string {
  return `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
}

function ofRoles(metricOf: (role: (typeof roles)[number]) => Measure, unit: string): Quantity[] {
  return roles.map((role) => ({ head: capitalised(role), measure: metricOf(role), unit }));
}

const goodput: PageBlock = {
  kind: 'bars',
  title: 'Goodput',
  caption: 'Received payload.',
  quantities: [{ head: 'Subscriber', measure: 'rate.goodput', unit: 'Mbit/s', scale: 1e-6 }],
  ...costs,
};

const phaseFigures = (
  [
    ['Time', 'ms', 'ms', 1],
    ['CPU time', 'cpuMs', 'ms', 1],
    ['Bytes', 'bytes', 'B', 1],
    ['Energy', 'energyJ', 'mJ', 1000],
  ] as const
).map(
  ([what, of, unit, scale]): PageBlock => ({
    kind: 'phases',
    title: `${what} by phase`,
    caption: 'One connection, mean over runs. Only the table shows the transfer.',
    of,
    unit,
    scale,
    names: ['security', 'cipherSuite'],
  }),
);

export const v2xTls: PublishedStudy = {
  id: 'v2x-tls',
  title: 'TLS on low-cost boards for V2X',
  question: 'What does each phase of TLS cost, and do larger messages or another cipher reduce the cost?',
  citation: 'Gavriilidis, Halkidis, Petridou, Applied Sciences 15(15):8398, 2025',
  publishedTestbed: 'Three Raspberry Pi 4B: broker, publisher, subscriber; Ethernet and WiFi',
  publishedAes: false,
  needs: [
    needLink('ethernet', 'Ethernet between the devices'),
    needLink('wifi', 'WiFi between the devices'),
    measuredEnergy,
    switchableAes,
  ],
  claims: v2xTlsClaims,
  reasons: ['cpu', 'link', 'energy'],
  notStated: [
    'Only the abstract is public. It states no payload, rate, QoS, batch size, library, group or certificate, and gives no figures.',
  ],
  different: [
    'Our choice: readings of 100 B at QoS 1, 1 to 64 per message, X25519 and ECDSA P-256, Mosquitto.',
    'A reading waits in its batch until the message is full. Batching reduces the latency of messages and increases the age of readings.',
  ],
  parts: [
    {
      id: 'a',
      title: 'phases, ciphers, packaging',
      question: 'What do TLS phases, two AEAD ciphers and message packaging cost each of the three roles?',
      gaps: [],
      notes: {
        smoke: 'Three repetitions, 200 readings/s, 1.2 s of load.',
        bench: 'Five repetitions, 500 readings/s, 10 s of load.',
        full: 'Thirty repetitions of 60 s. Both numbers are our choice, because only the abstract is public.',
      },
      plan: (testbed, scale) => planOf(testbed, scale, byScale(scale)(200, 500, 500)),
      blocks: [
        {
          kind: 'bars',
          title: 'CPU utilisation',
          caption: 'As a percentage of one core, during the load.',
          quantities: ofRoles((role) => `cpu.${role}`, '%'),
          ...costs,
        },
        {
          kind: 'bars',
          title: 'Memory footprint',
          caption: 'Mean resident memory of the process.',
          quantities: ofRoles((role) => `memory.${role}.mean`, 'MB'),
          ...costs,
        },
        {
          kind: 'bars',
          title: 'Energy',
          caption: 'Energy of the whole device while measuring; roles on one machine share its energy.',
          quantities: ofRoles((role) => `energy.${role}`, 'J'),
          ...costs,
        },
        {
          kind: 'bars',
          title: 'Wire bytes per reading',
          caption: 'Below TLS at the publisher, in both directions.',
          quantities: [{ head: 'Publisher', measure: wirePerReading, unit: 'B' }],
          ...costs,
        },
        {
          kind: 'table',
          title: 'Latency and cost per reading',
          names: [...costs.colours, ...costs.names],
          quantities: [
            { head: 'Latency', measure: 'latency.mean', unit: 'ms' },
            { head: 'Reading age', measure: 'readingAge.mean', unit: 'ms' },
            { head: 'Goodput', measure: 'rate.goodput', unit: 'kbit/s', scale: 1e-3 },
            { head: 'Set-up', measure: 'setUp.total', unit: 'ms' },
            { head: 'TLS part', measure: 'setUp.tls', unit: 'ms' },
            ...ofRoles((role) => cpuPerReading[role], 'µs').map(({ head, ...one }) => ({
              head: `CPU, ${head.toLowerCase()}`,
              ...one,
            })),
            { head: 'Energy', measure: energyPerReading, unit: 'mJ' },
            { head: 'Largest CPU of a role', measure: busiest, unit: '%', over: 'most' },
            { head: 'Lost', measure: 'count.lost', unit: 'messages', over: 'most' },
          ],
        },
        ...phaseFigures,
      ],
      needsReport: true,
    },
    {
      id: 'b',
      title: 'execution time and goodput',
      question: 'How long does the same data take at full speed, by cipher and packaging?',
      gaps: [],
      notes: {
        smoke: 'As fast as possible with 100 messages in flight, three repetitions of 0.6 s.',
        bench: 'Five repetitions of 5 s.',
        full: 'Thirty repetitions of 60 s.',
      },
      plan: (testbed, scale) => planOf(testbed, scale, 'max'),
      blocks: [
        {
          kind: 'bars',
          title: 'Execution time for 10,000 readings',
          caption:
            'At the measured arrival rate, for the same data in many small messages or in fewer, larger messages.',
          quantities: [{ head: 'Subscriber', measure: executionTime, unit: 's' }],
          ...costs,
        },
        goodput,
        {
          kind: 'bars',
          title: 'CPU time for 10,000 readings',
          caption: 'CPU time of each role’s process.',
          quantities: roles.map((role) => ({
            head: capitalised(role),
            measure: cpuPerReading[role],
            unit: 's',
            scale: 1e-2,
          })),
          ...costs,
        },
      ],
    },
    {
      id: 'c',
      title: 'with and without AES instructions',
      question:
        'Does ChaCha20-Poly1305 cost less than AES-256-GCM on the same CPU without its AES instructions?',
      gaps: [],
      notes: {
        smoke: 'Messages of 64 readings as fast as possible, three repetitions of 0.6 s.',
        bench: 'Messages of 64 readings as fast as possible, five repetitions of 5 s.',
        full: 'Messages of 64 readings as fast as possible, thirty repetitions of 60 s; the study’s CPU (Raspberry Pi 4B) has no AES instructions.',
      },
      plan: planInstructions,
      blocks: [
        {
          kind: 'bars',
          title: 'CPU time per message',
          caption: 'CPU time of the process; a message contains 64 readings.',
          quantities: ofRoles((role) => `cpuPerMessage.${role}`, 'µs'),
          ...costs,
        },
        goodput,
        {
          kind: 'table',
          title: 'Execution time and energy',
          names: [...costs.colours, ...costs.names],
          quantities: [
            { head: '10,000 readings', measure: executionTime, unit: 's' },
            { head: 'Energy per message', measure: 'energyPerMessage.total', unit: 'mJ' },
          ],
        },
      ],
      different: [
        'AES instructions are switched off in the OpenSSL library of the broker and the clients (OPENSSL_ia32cap, OPENSSL_armcap).',
      ],
    },
  ],
};
