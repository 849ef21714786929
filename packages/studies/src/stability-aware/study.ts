import { byScale } from '@mqttlab/shared/planning/study';
import { linksOfKinds, measuredEnergy, needLink } from '../needs.ts';
import type { PublishedStudy } from '../study.ts';
import { stabilityAwareClaims } from './claims.ts';
import { configurationName, plain } from './configurations.ts';
import {
  batteryLife,
  bootstraps,
  correlograms,
  crossCorrelations,
  cumulativeEnergy,
  currentOverTime,
  differences,
  effectMap,
  handshakes,
  locations,
  memory,
  minutes,
  paretoFront,
  protections,
  ranking,
  relativeOverhead,
  responses,
  samplingText,
  variations,
} from './tables.ts';

const hybrids = ['ecdh-p256-aes-128-cbc-as-published', 'ecdh-p256-aes-128-gcm'];
const missing = 'no run has a power series, or the part has not finished';

export const stabilityAware: PublishedStudy = {
  id: 'stability-aware',
  title: 'Stability-aware trade-off',
  question: 'Is payload encryption cheaper than TLS, and is the result stable across runs?',
  citation: 'Del-Valle-Soto et al., 2026',
  publishedTestbed:
    'Two ESP32 nodes over 2.4 GHz WiFi, EMQX on the local network, current measured with a shunt',
  publishedAes: false,
  needsStability: true,
  needs: [needLink('wifi', 'WiFi between the devices'), measuredEnergy],
  claims: stabilityAwareClaims,
  reasons: ['cpu', 'broker', 'link', 'energy'],
  notStated: [
    'Payload, message rate, QoS and suite. The library negotiated a suite, typically with RSA key exchange (line 216).',
    'The latency of plain, 24.8 ms, is a round trip via the broker, because the clocks were not synchronised in that run (line 266). The other two are one-way. Overheads over plain and the Pareto rank of plain are not comparable with ours.',
    'Coefficient of variation of the TLS latency: 2.24 % in table 4, but 4.7 % in the text above it (line 253). The text describes it as across runs and always below 5 %. The table uses segments of 120 s and states 5.18 % for the hybrid.',
    'Effect sizes, intervals and the data in figures 2 to 11, which are only plotted.',
    'AES on the ESP32: its accelerator was not explicitly enabled (line 200), so it is unclear whether the library used it.',
    'The study’s “energy” in mAh is charge. At the same voltage, ratios of charge and energy are equal.',
  ],
  different: [
    'Emitter and receiver are Linux devices with our agent. Current is power divided by voltage; power is measured by a meter or modelled from CPU time.',
    'Memory is the process’s memory at run time; the study reports the static memory of a firmware image.',
    'Three more configurations: TLS 1.2 with ECDHE, TLS 1.3, and the hybrid with AES-128-GCM. The published hybrid has no message authentication; with AES-128-GCM it authenticates messages like TLS, so the comparison is fair.',
    'An emitter and a receiver on one machine share one current, so they necessarily correlate at lag 0.',
    'One-way latency with clocks compared before and after each run, or half a round trip if the clocks are not accurate enough; the same for all configurations.',
  ],
  parts: [
    {
      id: 'a',
      title: 'connection and payload encryption',
      question:
        'What do TLS and payload encryption cost in energy, latency and memory, and how stable is the cost?',
      gaps: [
        {
          what: 'ECDH on secp256r1 on an ESP32',
          reason:
            'this part runs on devices with our agent, whose CPUs compute the same scheme; an ESP32 can be used as an external device',
        },
        {
          what: 'Block bootstrap of individual messages',
          reason:
            'messages are stored as a histogram and as the median of each second, which is resampled instead',
        },
        {
          what: 'Flash size',
          reason: 'a program under Linux has no firmware image; the memory at run time is reported',
        },
        {
          what: 'Distance between the nodes (3 m in the study)',
          reason:
            'devices cannot measure it; channel, transmit power, signal and PHY rate are reported for WiFi devices',
        },
        {
          what: 'Replay attacks',
          reason: 'the table shows the protection of each configuration; no configuration is attacked',
        },
        {
          what: 'Runs under loss',
          reason:
            'future work in the study, without figures; the wizard’s factor Packet loss adds it to this plan',
        },
        {
          what: 'With and without AES instructions on one device',
          reason:
            'like the study, this part does not change them; the factor “AES instructions” and part c of the V2X study switch them off',
        },
        { what: '0-RTT of TLS 1.3', reason: 'neither Node.js nor Mosquitto supports early data' },
      ],
      notes: {
        smoke:
          'Three repetitions of 5.2 s at 50 messages/s, without TLS 1.2 with ECDHE. The series are too short to judge stability.',
        bench: 'Five repetitions of 32 s at 10 messages/s, with samples every 100 ms, not averaged.',
        full: 'As published: five repetitions of 600 s, with 10 samples per second averaged to one.',
      },
      plan: (testbed, scale) => ({
        factors: {
          security: ['plain', 'TLS 1.2', 'TLS 1.3'],
          cipherSuite: byScale(scale)(
            ['AES128-GCM-SHA256', 'TLS_AES_128_GCM_SHA256'],
            ['AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'TLS_AES_128_GCM_SHA256'],
          ),
          certificate: ['RSA 2048'],
          session: ['full'],
          payloadCipher: ['none', ...hybrids],
          qos: [0],
          rate: [byScale(scale)(50, 10)],
          readingBytes: [100],
          link: linksOfKinds(testbed, ['wifi']),
        },
        // Each layer alone; another study combines both.
        leaveOut: [{ security: ['TLS 1.2', 'TLS 1.3'], payloadCipher: hybrids }],
        workload: {
          kind: 'stream',
          warmUpMs: byScale(scale)(300, 2000, 5000),
          measureMs: byScale(scale)(5200, 32_000, 600_000),
        },
        repetitions: byScale(scale)(3, 5),
        sampleHz: 10,
        response: 'latency.mean',
      }),
      blocks: [
        {
          kind: 'responses',
          title: 'Summary of emitter and receiver',
          quantities: responses,
          names: [],
          nameOf: configurationName,
          baseline: plain.isOf,
        },
        {
          kind: 'boxes',
          title: 'Message latency',
          of: 'latency',
          names: ['security', 'payloadCipher'],
          nameOf: configurationName,
        },
        {
          kind: 'rows',
          title: 'Protection of each configuration: by TLS / by the payload cipher',
          rows: protections,
        },
        { kind: 'text', text: samplingText },
        {
          kind: 'chart',
          title: 'Current of the emitter over time',
          caption:
            'Mean across runs from the start of the connection, with a moving average for display only.',
          draw: currentOverTime,
          missing,
        },
        { kind: 'rows', title: 'Handshake and steady state of the emitter', rows: handshakes, missing },
        {
          kind: 'chart',
          title: 'Cumulative energy',
          caption: 'Charge since the start of the connection.',
          draw: cumulativeEnergy,
          missing,
        },
        {
          kind: 'chart',
          title: 'Relative overhead of the cumulative energy',
          caption: 'Relative to plain at the same time; band: 95 % interval of the ratio of means.',
          draw: relativeOverhead,
          missing,
        },
        {
          kind: 'chart',
          title: 'Effect sizes',
          caption:
            'Cohen’s d over runs. Orange is more, blue is less. The colour becomes stronger at each threshold: small (0.2), medium (0.5), large (0.8).',
          draw: effectMap,
        },
        {
          kind: 'chart',
          title: 'Energy and latency',
          caption:
            'Pale: runs; strong: their means. The step line is the Pareto front, on which no configuration is beaten in both metrics.',
          draw: paretoFront,
          missing,
        },
        { kind: 'rows', title: 'Ranking when only TLS is perturbed', rows: ranking, missing },
        { kind: 'rows', title: 'Battery life', rows: batteryLife, missing },
        { kind: 'rows', title: 'Coefficients of variation', rows: variations, missing },
        {
          kind: 'rows',
          title: 'Differences: block bootstrap as published, and over runs',
          rows: differences,
          missing,
          isDetail: true,
        },
        {
          kind: 'chart',
          title: 'Bootstrap distribution of the difference in current',
          caption:
            'Coloured bracket: 95 % interval of circular blocks of 20 samples, dark bracket: over runs, dashed: no difference.',
          draw: bootstraps,
          missing,
        },
        {
          kind: 'rows',
          title: 'Emitter and receiver: cross-correlation of first differences',
          rows: crossCorrelations,
          missing,
        },
        {
          kind: 'rows',
          title: 'Mean current of the emitter by minute',
          rows: minutes,
          isDetail: true,
          missing: 'runs at this scale are shorter than two minutes',
        },
        {
          kind: 'rows',
          title: 'Location, spread and peaks of the samples',
          rows: locations,
          missing,
          isDetail: true,
        },
        {
          kind: 'rows',
          title: 'Memory and stationarity of the first run',
          rows: memory,
          missing,
          isDetail: true,
        },
        {
          kind: 'chart',
          title: 'Autocorrelation of the current',
          caption:
            'First run of each configuration. Grey: range of 95 % of the autocorrelations of independent samples.',
          draw: correlograms,
          missing,
        },
      ],
      published: { tables: ['summary'] },
      needsReport: true,
    },
  ],
};
