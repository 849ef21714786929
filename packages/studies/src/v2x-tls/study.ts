import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { byScale, type PartPlan, type StudyScale } from '@mqttlab/shared/planning/study';
import { linksOfKinds, measuredEnergy, needLink, switchableAes } from '../needs.ts';
import type { PublishedStudy } from '../study.ts';
import { v2xTlsClaims } from './claims.ts';

/** Readings of a vehicle: small and many; 16 a message is a packet of 1.6 kB. */
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

/** Large messages, so that the cipher weighs; the other packagings are in the parts before. */
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

export const v2xTls: PublishedStudy = {
  id: 'v2x-tls',
  title: 'TLS on low-cost boards for V2X',
  question: 'What does each phase of TLS cost, and do larger messages or another cipher make it cheaper?',
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
  parts: [
    {
      id: 'a',
      title: 'phases, ciphers, packaging',
      question: 'What do TLS phases, two AEAD ciphers and message packaging cost each of the three roles?',
      gaps: [],
      notes: {
        smoke: 'Three repetitions, 200 readings/s, 1.2 s of load.',
        bench: 'Five repetitions, 500 readings/s, 10 s of load.',
        full: 'Thirty repetitions of 60 s; we hold the abstract of the study only, so that these two are ours.',
      },
      plan: (testbed, scale) => planOf(testbed, scale, byScale(scale)(200, 500, 500)),
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
        full: 'Messages of 64 readings as fast as possible, thirty repetitions of 60 s; the CPU of the study (Raspberry Pi 4B) has no AES instructions.',
      },
      plan: planInstructions,
    },
  ],
};
