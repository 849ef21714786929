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
import { figuresOf, makeStudyInput, tableOf, wordsOf } from '../testing/study-input.ts';
import { makeStudyDocument } from './make-study-document.ts';

const evidence = summariseMetrics(makeEvidence());
const states = ['CON', 'SUB', 'PUB', 'DISC'] as const;

/** Payload and frames of a state. TLS 1.3 adds 22 B per packet for the record, and a handshake. */
function stateMetrics({ levels }: ComparedTreatment['treatment']): Record<string, number | null> {
  const isPlain = levels.security === 'plain';
  const packets = { CON: 2, SUB: 2, PUB: 1 + Number(levels.qos) + (levels.qos === 2 ? 1 : 0), DISC: 1 };
  const bytes = (state: (typeof states)[number]): StateBytes => {
    const handshake = state === 'CON' && !isPlain ? 1500 : 0;
    const own = packets[state] * (12 + (isPlain ? 0 : 22)) + handshake;
    const frames = 2 * packets[state] + (state === 'CON' ? 3 : 0);
    // SYN and SYN-ACK have 8 B more options.
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

function bytesOf(blocks: ReturnType<typeof makeStudyDocument>) {
  const found = figuresOf(blocks).find(({ title }) => title === 'Bytes to reach a state');
  if (!found) throw new Error('there is no such figure');
  return found.table;
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
    expect(blocks.some(({ kind }) => kind === 'table' || kind === 'figure')).toBe(true);
    expect(words).toContain('The study ran on:');
    const headings = blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []));
    expect(headings).toContain('Differences from the published study');
    if (studyId !== 'rpi-broker') {
      expect(words).toContain('has AES instructions');
      expect(words).toContain('loopback interface');
    }
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('shows bytes to each state next to the published ones, with frames and records', () => {
    const blocks = makeStudyDocument(makeStudyInput({ studyId: 'rpi-broker', partId: 'b' }, stateMetrics));
    const { rows } = bytesOf(blocks);
    // 7 frames of 66 B of headers and 24 B of MQTT.
    expect(rows.find(([state, name]) => state === 'CON' && name === 'Plain')).toEqual([
      'CON',
      'Plain',
      194,
      502,
      502 / 194,
      3,
    ]);
    const own = tableOf(blocks, 'Frames, headers and what TLS adds').rows;
    expect(own.find(([state, name]) => state === 'CON' && name === 'Plain')).toEqual([
      'CON',
      'Plain',
      194,
      502,
      7,
      478,
      24,
      null,
      null,
      null,
    ]);
    // Two packets with a record of 22 B each, and a handshake of 1,500 B with certificates of 1,000 B.
    expect(own.find(([state, name]) => state === 'CON' && name === 'TLS 1.3')?.slice(5)).toEqual([
      478,
      1568,
      1000,
      3382 - 194,
      1544,
    ]);
    expect(own.find(([state, name]) => state === 'DISC' && name === 'TLS 1.3')?.slice(-2)).toEqual([112, 22]);
    expect(wordsOf(blocks)).toContain('at least 270 B of headers');
  });

  it('shows throughput by loss next to the published values, and names missing runs', () => {
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
    const drawn = figuresOf(blocks).find(({ title }) => title === 'Payload over median exchange');
    const rows = drawn?.table.rows ?? [];
    expect(rows.find(([loss, name]) => loss === '10 % loss' && name === 'MQTT')?.slice(2, 4)).toEqual([
      0.35, 0.3,
    ]);
    expect(rows.some((row) => String(row[1]).startsWith('CoAP') && row[2] === 6 && row[3] === 6)).toBe(true);
    const table = tableOf(blocks, 'Exchanges and messages');
    const at = (head: string) => table.columns.findIndex((column) => column.head === head);
    expect(
      table.rows.some(
        (row) => row[at('Third quartile, published')] === 13.4 && row[at('Third quartile')] === 20,
      ),
    ).toBe(true);
    expect(wordsOf(blocks)).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('compares the published broker configuration with a hardened one', () => {
    const input = makeStudyInput({ studyId: 'rpi-broker', partId: 'd' }, ({ levels }) => ({
      'availability.reached': levels.brokerHardening === 'hardened' ? 12 : 1,
      'availability.held': 1014,
      'availability.outage': 15,
      'availability.memoryGrowth': 0.8,
    }));
    const blocks = makeStudyDocument(input);
    const { columns, rows } = tableOf(blocks, 'Attempts to connect');
    const at = columns.findIndex(({ head }) => head === 'Reached');
    expect(rows.map((row) => row[at])).toEqual([1, 12]);
    const words = wordsOf(blocks);
    expect(words).toContain('max_keepalive | 65,535 s | 10 s');
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('fits the CPU of the broker over subscribers and shows where one thread is exhausted', () => {
    const input = makeStudyInput({ studyId: 'rpi-broker', partId: 'a' }, ({ levels }, block) => ({
      ...evidence,
      'cpu.broker': 10 + 0.5 * Number(levels.subscribers) + (block - 2) * 0.2,
      'memory.broker.mean': 8 + 0.02 * Number(levels.subscribers) + (block - 2) * 0.01,
    }));
    const blocks = makeStudyDocument(input);
    const { rows } = tableOf(blocks, 'CPU of the broker over subscribers: lines');
    const line = rows.find(([name]) => String(name).startsWith('TLS'));
    expect(line?.[1]).toMatch(/^0\.500\s\[0\.49\d,\s0\.50\d\]$/);
    expect(line?.[4]).toMatch(/^180/);
    expect(line?.[5]).toBe(100);
    // Our runs sent 50 messages/s, the study at full speed, so its values are listed separately with the reason.
    const alone = tableOf(blocks, 'Published values, with their lines').rows;
    expect(alone).toContainEqual([
      'broker CPU, % of one core',
      'TLS QoS 0 10 subscribers: 206.84 (164); TLS QoS 0 100 subscribers: 325.34 (156)',
      1,
    ]);
    const words = wordsOf(blocks);
    expect(words).toContain('different here: one publisher, as fast as possible');
    expect(words).toContain('81.3 % of the board');
    // With the published load and a broker that uses all four cores.
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
    const document = makeStudyDocument({ ...full, treatments: others });
    const beside = tableOf(document, 'CPU of the broker over subscribers: lines').rows;
    expect(beside[1]).toEqual(['TLS 1.3, published', '1.32', '193.64', null, '156.33', 400]);
    expect(beside[2]?.[5]).toBe(400);
    expect(beside[2]?.[4]).toMatch(/^780/);
  });

  it('leaves flagged runs out, with a note if none remains', () => {
    const input = makeStudyInput({ studyId: 'v2x-tls', partId: 'a' }, () => evidence);
    const treatments = input.treatments.map((one) => ({
      ...one,
      runs: one.runs.map((run) => ({ ...run, flagged: true })),
    }));
    expect(wordsOf(makeStudyDocument({ ...input, treatments }))).toContain('finished runs are flagged');
    expect(wordsOf(makeStudyDocument({ ...input, treatments, flagged: true }))).toContain('CPU utilisation');
    expect(wordsOf(makeStudyDocument({ ...input, treatments: [] }))).toContain('No run has finished yet');
  });

  it.each(runnable)('%s %s shows values unaffected by a busy CPU that flags every run', (...ids) => {
    const [studyId, partId] = ids;
    const input = makeStudyInput({ studyId, partId }, (treatment) =>
      studyId === 'rpi-broker' && partId === 'b' ? stateMetrics(treatment) : evidence,
    );
    const treatments = input.treatments.map((one) => ({
      ...one,
      runs: one.runs.map((run) => ({ ...run, flagged: true, failed: ['device-idle'] })),
    }));
    const words = wordsOf(makeStudyDocument({ ...input, treatments }));
    expect(words).toContain('Only values that the flags do not affect are shown');
    expect(words).not.toMatch(/NaN|undefined|Infinity/);
    if (partId === 'b' && studyId === 'rpi-broker') expect(words).toContain('CON | Plain | 194 | 502');
  });

  it('shows what the captures of each configuration reveal, with a note if a part has no captures', () => {
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
    // Share links make this document public.
    expect(words).not.toContain('a1 b2');
    const without = makeStudyDocument(
      makeStudyInput(part, () => evidence, { report: { ...report, captured: [] } }),
    );
    expect(wordsOf(without)).toContain('no valid run captured packets');
  });
});
