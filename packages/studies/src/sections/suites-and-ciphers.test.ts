import { summariseMetrics } from '@mqttlab/shared/catalogue/metrics';
import { makeEvidence } from '@mqttlab/shared/testing/evidence';
import { describe, expect, it } from 'vitest';
import { makeStudyInput, tableOf, wordsOf } from '../testing/study-input.ts';
import { makeAcrossParts } from './across-parts.ts';
import { makeStudyDocument } from './make-study-document.ts';

const evidence = summariseMetrics(makeEvidence());

describe('suites and payload ciphers of the studies', () => {
  it('ranks suites, and tells where those came that were printed as best and worst', () => {
    const input = makeStudyInput({ studyId: 'cipher-suites', partId: 'a' }, ({ levels }) => ({
      ...evidence,
      'rate.messages': String(levels.cipherSuite).startsWith('AES256') ? 22_000 : 20_000,
    }));
    const blocks = makeStudyDocument(input);
    const words = wordsOf(blocks);
    expect(tableOf(blocks, 'printed as best and worst').rows).toContainEqual([
      'AES256-GCM-SHA384',
      'best over WiFi-2.4, MQTT 3.1.1',
      1,
      3,
    ]);
    expect(words).toContain('Ethernet, MQTT 3.1.1, TLS 1.2 | ECDHE-RSA-CHACHA20-POLY1305 | 21295');
  });

  it('finds the best QoS, suite and version of TLS over the parts of both versions', () => {
    const partOf = (partId: string) => {
      const { treatments } = makeStudyInput({ studyId: 'cipher-suites', partId }, ({ levels }) => ({
        'rate.messages': levels.cipherSuite === 'TLS_CHACHA20_POLY1305_SHA256' ? 30_000 : 20_000,
      }));
      return { partId, treatments };
    };
    expect(makeAcrossParts('cipher-suites', [partOf('a')], false)).toEqual([]);
    const blocks = makeAcrossParts('cipher-suites', [partOf('a'), partOf('b')], false);
    expect(tableOf(blocks, 'over parts a and b').rows).toEqual([
      ['lo', '0', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS 1.3', '5.0', 30_000],
    ]);
  });

  it('tells run time and spread of the clients by the names of the study', () => {
    const clients = {
      'publishers.runTime': 0.25,
      'publishers.totalRunTime': 0.4,
      'publishers.rate': 400,
      'publishers.latencySd': 1.5,
      'rate.messages': 2000,
    };
    const input = makeStudyInput({ studyId: 'cipher-suites', partId: 'a' }, () => ({
      ...evidence,
      ...clients,
    }));
    const { columns, rows } = tableOf(makeStudyDocument(input), 'Responses of the study by suite');
    const at = (head: string) => rows[0]?.[columns.findIndex((column) => column.head === head)];
    expect(at('Average run time')).toBe(0.25);
    expect(at('sd of means')).toBe(1.5);
    expect(at('Total run time')).toBe(0.4);
    expect(at('Average bandwidth')).toBe(400);
    expect(at('Total bandwidth')).toBe(2000);
  });

  it('sets one run of the publisher beside the published one where it was run at its size and rate', () => {
    const full = makeStudyInput(
      { studyId: 'hecs4mqtt', partId: 'a' },
      ({ levels }) => ({
        'count.sent': 100,
        'rate.messages': 2,
        'cpuPerMessage.publisher': 500,
        'rate.encrypted': 13_000,
        // 5 µs for each message, 2 ns for each byte.
        'encryption.mean': 5 + 0.002 * Number(levels.readingBytes),
      }),
      { scale: 'full' },
    );
    const blocks = makeStudyDocument(full);
    const run = tableOf(blocks, 'One run of the publisher').rows;
    expect(run[0]).toEqual(['elapsed', 's', 51.07, 50]);
    expect(run[1]).toEqual(['task clock', 'ms', 93.23, 50]);
    expect(run.at(-1)).toEqual(['throughput', 'B/s', 12_938.14, 13_000]);
    const byBytes = tableOf(blocks, 'Encryption time taken apart').rows;
    expect(String(byBytes[0]?.[2])).toMatch(/^5\.00/);
    expect(String(byBytes[0]?.[3])).toMatch(/^2\.00/);
  });

  it('leaves the published run of the publisher alone elsewhere, and says why', () => {
    const input = makeStudyInput({ studyId: 'hecs4mqtt', partId: 'a' }, () => ({
      'count.sent': 100,
      'rate.messages': 50,
      'latency.mean': 12,
      'latency.max': 480,
      'cpuPerMessage.publisher': 500,
    }));
    const blocks = makeStudyDocument(input);
    // Ours came 100 a second, the study's two: its run stands alone.
    const alone = tableOf(blocks, 'what stands beside them').rows;
    expect(alone.find(([quantity]) => quantity === 'task clock')).toEqual([
      ...['task clock', 'ChaCha20-Poly1305 100 messages', '93.23', 'ms', '351'],
      'no: not so here: a message each 0.5 s, by its log',
    ]);
    expect(alone.find(([quantity]) => quantity === 'encryption time')?.[2]).toBe('above 135');
    const words = wordsOf(blocks);
    expect(words).toContain('its figures stand alone below');
    expect(words).not.toContain('One run of the publisher beside');
    expect(words).toContain('took 480 ms, which is below it as well');
    expect(words).toContain('0.88381, 0.283651, 0.987717, 0.411331, 0.928822, 0.696591, 0.213525, 0.452711');
  });

  it('takes a suite that carried nothing for a gap, not for the worst', () => {
    const input = makeStudyInput({ studyId: 'cipher-suites', partId: 'a' }, ({ levels }) => ({
      ...evidence,
      'rate.messages': String(levels.cipherSuite).startsWith('AES256') ? 0 : 20_000,
    }));
    const words = wordsOf(makeStudyDocument(input));
    expect(words).toContain('Gap: AES256-GCM-SHA384 carried no message while measured.');
    expect(tableOf(makeStudyDocument(input), 'Best and worst suite, here').rows[0]?.at(-1)).toBe(1);
  });

  it('tells wire bytes and CPU time of readings whatever their packaging', () => {
    const input = makeStudyInput({ studyId: 'v2x-tls', partId: 'b' }, ({ levels }) => ({
      'wire.perMessage': 100 * Number(levels.readingsPerMessage) + 60,
      'cpuPerMessage.broker': 20,
      'cpuPerMessage.publisher': 20,
    }));
    const figureOf = (title: string) => {
      const found = makeStudyDocument(input).find(
        (block) => block.kind === 'figure' && block.title === title,
      );
      return found?.kind === 'figure' ? found.table.rows : [];
    };
    // 20 µs a message: 0.2 s for 10,000 messages of one reading, a sixteenth of it in batches of 16.
    const cpu = figureOf('CPU time for 10,000 readings, by role').map(([name, , broker]) => [name, broker]);
    expect(cpu).toContainEqual(['Plain · batch 1', 0.2]);
    expect(cpu).toContainEqual(['Plain · batch 16', 0.0125]);
    const a = makeStudyDocument({ ...input, origin: { ...input.origin, partId: 'a' } });
    const wire = a.find((block) => block.kind === 'figure' && block.title.startsWith('Bytes on the wire'));
    expect(wire?.kind === 'figure' ? wire.table.rows.map((row) => row.at(-1)) : []).toContain(103.75);
    expect(wordsOf(a)).toContain('no wireless link was run');
  });
});
