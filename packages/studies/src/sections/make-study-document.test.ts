import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import { capturedRows } from '@mqttlab/shared/catalogue/evidence/capture-evidence';
import { summariseMetrics } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { StateBytes } from '@mqttlab/shared/domain/runs/role-result';
import { makeCapture } from '@mqttlab/shared/testing/captures';
import { changeRole, makeEvidence } from '@mqttlab/shared/testing/evidence';
import { makeReportInput } from '@mqttlab/shared/testing/report-input';
import { describe, expect, it } from 'vitest';
import { studies } from '../studies.ts';
import { makeStudyInput, tableOf, wordsOf } from '../testing/study-input.ts';
import { makeStudyDocument } from './make-study-document.ts';

const evidence = summariseMetrics(makeEvidence());
const states = ['CON', 'SUB', 'PUB', 'DISC'] as const;

/** Payload and frames of a state; TLS 1.3 adds a record of 22 B for each of so many packets, and a handshake. */
function stateMetrics({ levels }: ComparedTreatment['treatment']): Record<string, number | null> {
  const isPlain = levels.security === 'plain';
  const packets = { CON: 2, SUB: 2, PUB: 1 + Number(levels.qos) + (levels.qos === 2 ? 1 : 0), DISC: 1 };
  const bytes = (state: (typeof states)[number]): StateBytes => {
    const handshake = state === 'CON' && !isPlain ? 1500 : 0;
    const own = packets[state] * (12 + (isPlain ? 0 : 22)) + handshake;
    const frames = 2 * packets[state] + (state === 'CON' ? 3 : 0);
    // SYN and its answer have 8 B of options more.
    const headers = frames * 66 + (state === 'CON' ? 16 : 0);
    return { state, bytesSent: own, bytesReceived: 0, frames, frameBytes: own + headers };
  };
  const environment = {
    'states.packet.CONNECT': 15,
    'states.packet.CONNACK': 9,
    ...(isPlain ? {} : { 'states.certificateBytes': 1000 }),
  };
  return summariseMetrics(
    changeRole(makeEvidence(), 'publisher', { states: states.map(bytes), environment }),
  );
}

describe('the document of a study', () => {
  const runnable = studies.flatMap((study) =>
    study.parts.filter(({ plan }) => plan !== null).map(({ id }) => [study.id, id] as const),
  );

  it.each(runnable)('%s %s has a table, published values or why there are none, and reasons', (...ids) => {
    const [studyId, partId] = ids;
    const blocks = makeStudyDocument(
      makeStudyInput({ studyId, partId }, (treatment) =>
        studyId === 'rpi-broker' && partId === 'b' ? stateMetrics(treatment) : evidence,
      ),
    );
    const words = wordsOf(blocks);
    expect(blocks.some(({ kind }) => kind === 'table')).toBe(true);
    expect(words).toContain('The study ran on:');
    const headings = blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []));
    for (const heading of ['What the text does not say', 'What we did differently']) {
      const at = blocks.findIndex((block) => block.kind === 'heading' && block.text === heading);
      expect(headings).toContain(heading);
      expect(blocks[at + 1]?.kind).toBe('list');
    }
    if (studyId !== 'rpi-broker') {
      expect(words).toContain('has AES instructions');
      expect(words).toContain('over the loopback');
    }
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('sets bytes to each state beside the published ones and explains them by frames and records', () => {
    const blocks = makeStudyDocument(makeStudyInput({ studyId: 'rpi-broker', partId: 'b' }, stateMetrics));
    const { rows } = tableOf(blocks, 'Where the bytes go');
    // 7 frames of 66 B of headers and 24 B of MQTT.
    expect(rows.find(([state, name]) => state === 'CON' && name === 'Plain')).toEqual([
      'CON',
      'Plain',
      194,
      502,
      502 / 194,
      7,
      478,
      24,
    ]);
    const words = wordsOf(blocks);
    expect(words).toContain('2.59 times the published 194 B');
    expect(words).toContain('at least 270 B of headers alone, more than the published figure');
    expect(words).toContain('PUB: 22 B at QoS 0 (1.0 records)');
    expect(words).toContain('published 88 B (4.0 records)');
    expect(words).toContain('17.43 times the bytes of TCP as published');
  });

  it('takes the published bytes apart into frames of the measured header', () => {
    const blocks = makeStudyDocument(makeStudyInput({ studyId: 'rpi-broker', partId: 'b' }, stateMetrics));
    const own = tableOf(blocks, 'what was counted here').rows.filter(([state]) => state === 'CON');
    expect(own).toEqual([
      ['CON', 'SYN, SYN with ACK', 2, 74, 148, 0],
      ['CON', 'ACK of the handshake', 1, 66, 66, 0],
      ['CON', 'MQTT packets', 2, 66, 132, 24],
      ['CON', 'ACK alone, FIN', 2, 66, 132, 0],
    ]);
    // 148 B of SUB: two frames of 66 B and 16 B, what SUBSCRIBE and SUBACK take without properties.
    const published = tableOf(blocks, 'published figures can hold').rows;
    expect(published.find(([state]) => state === 'SUB')?.slice(0, 4)).toEqual(['SUB', 148, 2, 16]);
    expect(published.find(([state]) => state === 'DISC')?.slice(0, 4)).toEqual(['DISC', 268, 4, 4]);
    // The parts of the difference add up to it.
    for (const [, bytes, , , frames, carried, ofFrames, ofMqtt] of published) {
      const opening = frames === 7 ? 16 : 0;
      const here = Number(frames) * 66 + opening + Number(carried);
      expect(Number(ofFrames) + Number(ofMqtt)).toBe(here - Number(bytes));
    }
    const parts = tableOf(blocks, 'Packets and certificates').rows;
    expect(parts).toContainEqual(['CONNACK', 9, 5]);
    const words = wordsOf(blocks);
    expect(words).toContain('DISC 112 B: 1 record of 22 B, 1 frame more and 24 B');
    expect(words).toContain('PUB 88 B: 4 records of 22 B, and nothing else');
    // TLS adds 44 B of records and 1,500 B; published are 3,188 B.
    expect(words).toContain('would be explained by certificates of 2,644 B in all');
  });

  it('sets throughput by loss beside the published one, and says what was not run', () => {
    const input = makeStudyInput({ studyId: 'rpi-broker', partId: 'c' }, ({ levels }) => {
      const isMqtt = levels.applicationProtocol === 'mqtt';
      const p50 = Number(levels.loss) === 0 ? 10 : isMqtt ? 200 : 10;
      const throughput = 1000 / 1e6 / (p50 / 60_000);
      return {
        'exchange.p50': p50,
        'exchange.p25': p50 / 2,
        'exchange.p75': p50 * 2,
        'exchange.mean': p50,
        'exchange.throughput': throughput,
        'count.sent': 50,
        'count.received': 50,
        'count.lost': isMqtt ? 0 : 7,
        'wire.retransmitted': 3,
        'wire.perMessage': 1050,
      };
    });
    const blocks = makeStudyDocument(input);
    const { rows } = tableOf(blocks, 'Throughput by loss');
    expect(rows.find(([loss, name]) => loss === 10 && name === 'MQTT, QoS 1')?.slice(2, 4)).toEqual([
      0.35, 0.3,
    ]);
    expect(rows.find(([loss, name]) => loss === 0 && name === 'CoAP confirmable')?.slice(2, 4)).toEqual([
      6, 6,
    ]);
    expect(tableOf(blocks, 'Latency of MQTT').rows).toContainEqual([
      'MQTT 0%',
      'latency, third quartile',
      13.4,
      20,
    ]);
    const words = wordsOf(blocks);
    expect(words).toContain('Gap: 2 %, 4 %, 6 %, 8 % of loss were not run here');
    expect(words).toContain('CoAP confirmable at 10 % loss: 7 messages without an answer');
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('sets the broker as published beside a hardened one', () => {
    const input = makeStudyInput({ studyId: 'rpi-broker', partId: 'd' }, ({ levels }) => ({
      'availability.reached': levels.brokerHardening === 'hardened' ? 12 : 1,
      'availability.held': 1014,
      'availability.outage': 15,
      'availability.memoryGrowth': 0.8,
    }));
    const words = wordsOf(makeStudyDocument(input));
    expect(words).toContain('Hardened broker: with 1,014 held, 12.0 % of the attempts reached the broker');
    expect(words).toContain('max_keepalive | 65,535 s | 10 s');
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('fits the CPU of the broker over subscribers and says where one thread is exhausted', () => {
    const input = makeStudyInput({ studyId: 'rpi-broker', partId: 'a' }, ({ levels }, block) => ({
      ...evidence,
      'cpu.broker': 10 + 0.5 * Number(levels.subscribers) + (block - 2) * 0.2,
      'memory.broker.mean': 8 + 0.02 * Number(levels.subscribers) + (block - 2) * 0.01,
    }));
    const blocks = makeStudyDocument(input);
    const { rows } = tableOf(blocks, 'Line and saturation');
    expect(rows[0]?.[1]).toMatch(/^0\.500\s\[0\.496,\s0\.504\]$/);
    expect(rows[0]?.[4]).toMatch(/^180/);
    expect(rows[0]?.[5]).toBe(100);
    const points = tableOf(blocks, 'CPU and memory of the broker by subscribers').rows;
    // Ours sent 50 messages/s, the study as many as possible: its figures stand alone, with the reason.
    expect(points.find(([name, n]) => String(name).startsWith('TLS') && n === 100)?.[2]).toBe(null);
    expect(tableOf(blocks, 'what stands beside them').rows).toContainEqual([
      'broker CPU',
      'TLS QoS 0 100 subscribers',
      '325.34',
      '% of one core',
      '156',
      'no: not so here: one publisher, as fast as possible',
    ]);
    expect(points.find(([name, n]) => name === 'Plain' && n === 100)?.slice(2, 4)).toEqual([
      null,
      expect.stringMatching(/^60\.0\s\[/),
    ]);
    const words = wordsOf(blocks);
    expect(words).toContain('at most 13 % of the board (QoS 2, 100 subscribers)');
    expect(words).toContain('Plain: 20.0 kB for each subscriber');
    // At the published load, and with a broker that has all four cores of its device.
    const full = makeStudyInput(
      { studyId: 'rpi-broker', partId: 'a' },
      ({ levels }, block) => ({ 'cpu.broker': 10 + 0.5 * Number(levels.subscribers) + (block - 2) * 0.2 }),
      {
        scale: 'full',
        facts: { ...input.facts, devices: [{ role: 'broker', cpuModel: null, cpuFeatures: null, cores: 4 }] },
      },
    );
    const others = full.treatments.map((one) => ({
      ...one,
      treatment: { ...one.treatment, levels: { ...one.treatment.levels, broker: 'external' } },
    }));
    const beside = tableOf(makeStudyDocument({ ...full, treatments: others }), 'Line and saturation').rows;
    expect(beside[0]).toEqual(['Published: TLS QoS 0', '1.3200', '193.64', null, '156.33', 400]);
    expect(beside[1]?.[5]).toBe(400);
    expect(beside[1]?.[4]).toMatch(/^780/);
  });

  it('says once that one run of each tells no difference', () => {
    const input = makeStudyInput({ studyId: 'hecs4mqtt', partId: 'b' }, () => evidence);
    const treatments = input.treatments.map((one) => ({ ...one, runs: one.runs.slice(0, 1) }));
    const words = wordsOf(makeStudyDocument({ ...input, treatments }));
    expect(words).not.toContain('too few valid runs');
    expect(words).toContain('1 run of each configuration: numbers have no interval');
    expect(wordsOf(makeStudyDocument(input))).toContain('In brackets: 95 % interval of the mean over runs.');
    expect(words.match(/no difference is tested/g)).toHaveLength(2);
  });

  it('compares overheads over plain where units of another board mean nothing', () => {
    const input = makeStudyInput({ studyId: 'stability-aware', partId: 'a' }, ({ levels }, block) => ({
      ...evidence,
      'latency.mean': (levels.payloadCipher === 'none' ? 2 : 3) + block * 0.01,
    }));
    const { rows } = tableOf(makeStudyDocument(input), 'Summary of the emitter');
    const latency = rows.find(
      ([label, name]) => label === 'Latency, ms' && String(name).startsWith('ECDH + AES-128-CBC'),
    );
    expect(latency?.[2]).toBe(32.1);
    // Published latency of plain is a round trip, so that nothing of it is "over plain".
    expect(latency?.[4]).toBe('–');
    expect(latency?.[5]).toBe('+49.5');
    const current = rows.find(([label, name]) => label === 'Current, mA' && String(name).startsWith('ECDH'));
    expect([current?.[2], current?.[4]]).toEqual([84.9, '+8.3']);
    const memory = rows.filter(([label]) => label === 'Memory, KB');
    expect(memory.map(([, , published]) => published)).toEqual(memory.map(() => null));
  });

  it('leaves flagged runs out and says so where nothing is left', () => {
    const input = makeStudyInput({ studyId: 'v2x-tls', partId: 'a' }, () => evidence);
    const treatments = input.treatments.map((one) => ({
      ...one,
      runs: one.runs.map((run) => ({ ...run, flagged: true })),
    }));
    expect(wordsOf(makeStudyDocument({ ...input, treatments }))).toContain('finished runs are flagged');
    expect(wordsOf(makeStudyDocument({ ...input, treatments, flagged: true }))).toContain('CPU utilisation');
    expect(wordsOf(makeStudyDocument({ ...input, treatments: [] }))).toContain('No run has finished yet');
  });

  it.each(runnable)('%s %s shows what a busy CPU does not change where that flags every run', (...ids) => {
    const [studyId, partId] = ids;
    const input = makeStudyInput({ studyId, partId }, (treatment) =>
      studyId === 'rpi-broker' && partId === 'b' ? stateMetrics(treatment) : evidence,
    );
    const treatments = input.treatments.map((one) => ({
      ...one,
      runs: one.runs.map((run) => ({ ...run, flagged: true, failed: ['device-idle'] })),
    }));
    const words = wordsOf(makeStudyDocument({ ...input, treatments }));
    expect(words).toContain('shown is what the flags do not matter for');
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
    if (partId === 'b' && studyId === 'rpi-broker') expect(words).toContain('2.59 times the published 194 B');
  });

  it('tells what was seen in the packets of each configuration, and of a part without captures that there are none', () => {
    const part = { studyId: 'rpi-broker', partId: 'f' } as const;
    const { treatments } = makeStudyInput(part, () => evidence);
    const captured = capturedRows(
      treatments.map(({ treatment }) => ({
        treatmentKey: treatment.key,
        role: 'broker',
        device: '',
        share: { index: 0, of: 1 },
        capture: makeCapture(
          treatment.levels.security === 'plain'
            ? { topics: ['plant/1'], payloadBytes: 6400, payloadSample: 'a1b2', serverNames: [] }
            : treatment.levels.security === 'TLS 1.3'
              ? { certificates: [] }
              : {},
        ),
      })),
      treatments.map(({ treatment }) => treatment),
    );
    const report = { ...makeReport(makeReportInput(() => ({ metrics: evidence }))), captured };
    const blocks = makeStudyDocument(makeStudyInput(part, () => evidence, { report }));
    const { columns, rows } = tableOf(blocks, 'What an eavesdropper sees');
    expect(columns.map(({ head }) => head)).toEqual(['What', 'Plain', 'TLS 1.2', 'TLS 1.3']);
    expect(rows).toEqual([
      ['Topics', 'seen', 'hidden', 'hidden'],
      ['Payloads', 'seen', 'hidden', 'hidden'],
      ['Sizes and timing', 'seen', 'seen', 'seen'],
      ['Connections', 'seen', 'seen', 'seen'],
      ['Version and suite', 'nothing to see', 'seen', 'seen'],
      ['Server name', 'nothing to see', 'seen', 'seen'],
      ['Certificates', 'nothing to see', 'seen', 'hidden'],
    ]);
    const words = wordsOf(blocks);
    expect(words).toContain('Payloads could be read in: Plain (broker).');
    // Links show this document to everybody.
    expect(words).not.toContain('a1 b2');
    const without = makeStudyDocument(
      makeStudyInput(part, () => evidence, { report: { ...report, captured: [] } }),
    );
    expect(wordsOf(without)).toContain('Gap: no run that counts captured packets');
  });
});
