import { byScale } from '@mqttlab/shared/planning/study';
import { linksOfKinds, measuredEnergy, needLink } from '../needs.ts';
import type { PublishedStudy } from '../study.ts';
import { stabilityAwareClaims } from './claims.ts';

export const stabilityAware: PublishedStudy = {
  id: 'stability-aware',
  title: 'Stability-aware trade-off',
  question: 'Is encrypting the payload cheaper than TLS, and does the answer hold from run to run?',
  citation: 'Del-Valle-Soto et al., 2026',
  publishedTestbed: 'Two ESP32 nodes over 2.4 GHz WiFi, EMQX on the local network, current by shunt',
  publishedAes: false,
  asksForStability: true,
  needs: [needLink('wifi', 'WiFi between the devices'), measuredEnergy],
  claims: stabilityAwareClaims,
  parts: [
    {
      id: 'a',
      title: 'connection and payload encryption',
      question:
        'What do TLS and payload encryption cost in energy, latency and memory, and how stable is it?',
      gaps: [
        {
          what: 'ECDH on secp256r1 of an ESP32',
          reason:
            'this part runs on devices with our agent, whose CPU computes the same scheme; an ESP32 takes part as an external device, for which the page makes the program',
        },
        {
          what: 'Block bootstrap of single messages',
          reason:
            'messages are kept as a histogram and as the median of each second, which is resampled in their place; a file of every message would be ten times the size of all else',
        },
        {
          what: 'Size of the flash',
          reason: 'a program under Linux has no firmware image; the change of memory at run time is told',
        },
        {
          what: 'Distance of the nodes (3 m in the study)',
          reason:
            'no device can read it; channel and transmit power (6 and 20 dBm there) stand beside signal and PHY rate where devices are on WiFi',
        },
        {
          what: 'An adversary who replays messages',
          reason: 'what each configuration protects from is told; none of the three is attacked here',
        },
        {
          what: 'Runs under loss',
          reason:
            'future work of the study, without a figure; the factor Packet loss of the wizard adds it to this plan',
        },
        {
          what: 'With and without AES instructions on one device',
          reason:
            'this part leaves them as they are, as the study does; the factor AES instructions of the wizard switches them off, and part c of the V2X study does',
        },
        {
          what: '0-RTT of TLS 1.3',
          reason: 'it is not sent: neither Node.js nor Mosquitto offers early data',
        },
      ],
      notes: {
        smoke:
          'Three repetitions of 5.2 s at 50 messages/s, without TLS 1.2 by ECDHE: the series are too short for a statement about stability.',
        bench: 'Five repetitions of 32 s at 10 messages/s, the samples every 100 ms taken as they are.',
        full: 'As published: five repetitions of 600 s, 10 samples a second averaged to one.',
      },
      plan: (testbed, scale) => ({
        factors: {
          security: ['plain', 'TLS 1.2', 'TLS 1.3'],
          cipherSuite: byScale(scale)(
            ['AES128-GCM-SHA256', 'TLS_AES_128_GCM_SHA256'],
            ['AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'TLS_AES_128_GCM_SHA256'],
            ['AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'TLS_AES_128_GCM_SHA256'],
          ),
          certificate: ['RSA 2048'],
          session: ['full'],
          payloadCipher: ['none', 'ecdh-p256-aes-128-cbc-as-published', 'ecdh-p256-aes-128-gcm'],
          qos: [0],
          rate: [byScale(scale)(50, 10, 10)],
          readingBytes: [100],
          link: linksOfKinds(testbed, ['wifi']),
        },
        // Either layer alone: what both together cost is asked by another study.
        leaveOut: [
          {
            security: ['TLS 1.2', 'TLS 1.3'],
            payloadCipher: ['ecdh-p256-aes-128-cbc-as-published', 'ecdh-p256-aes-128-gcm'],
          },
        ],
        workload: {
          kind: 'stream',
          warmUpMs: byScale(scale)(300, 2000, 5000),
          measureMs: byScale(scale)(5200, 32_000, 600_000),
        },
        repetitions: byScale(scale)(3, 5, 5),
        sampleHz: 10,
        response: 'latency.mean',
      }),
    },
  ],
};
