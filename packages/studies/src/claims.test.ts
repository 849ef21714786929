import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ClaimAnswer } from '@mqttlab/shared/domain/report/claims';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { Block } from '@mqttlab/shared/figures/document/blocks';
import { describe, expect, it } from 'vitest';
import { boardWords, countAnswers, makeBoard, type PartState } from './claims/board.ts';
import { makeStudyDocument } from './page/make-study-document.ts';
import { findStudy, studies } from './studies.ts';
import type { PublishedStudy } from './study.ts';
import { publishedLines } from './testing/published-lines.ts';
import { makeStabilityReport, makeStabilityTestbed } from './testing/stability-report.ts';
import { makeStudyInput } from './testing/study-input.ts';

type Treatment = ComparedTreatment['treatment'];
type Metrics = Record<string, number | null>;
type Measuring = (treatment: Treatment, block: number) => Metrics;

const every = studies.flatMap((study) => study.claims.map((claim) => [claim.id, study, claim] as const));

function inputOf(study: PublishedStudy, partId: string, measuring: Measuring) {
  const testbed = study.id === 'stability-aware' ? { testbed: makeStabilityTestbed() } : {};
  return makeStudyInput({ studyId: study.id, partId }, measuring, { scale: 'bench', ...testbed });
}

function boardOf(
  id: string,
  measuring: Measuring,
  change: (state: ReturnType<typeof inputOf>) => PartState = (state) => state,
) {
  const study = findStudy(id);
  if (!study) throw new Error('no such study');
  return makeBoard(study, (partId) => change(inputOf(study, partId, measuring)));
}

function answersOf(board: ReturnType<typeof makeBoard>): Record<string, ClaimAnswer> {
  return Object.fromEntries(board.claims.map(({ id, answer }) => [id, answer]));
}

/** The same value of every metric in every treatment, and a little more in each repetition. */
const alike: Measuring = (_, block) =>
  Object.fromEntries(metrics.map(({ id, quantity }) => [id, quantity === 'proportion' ? 0.5 : 100 + block]));

function titlesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'figure') return [block.title];
    if (block.kind === 'table') return [block.caption];
    return block.kind === 'note' ? [block.text.replace('Gap: ', '')] : [];
  });
}

describe('every claim', () => {
  it('is there once, 54 in all', () => {
    expect(every).toHaveLength(54);
    expect(new Set(every.map(([id]) => id)).size).toBe(54);
    expect(studies.map(({ claims }) => claims.length)).toEqual([12, 11, 6, 13, 12]);
  });

  it.each(every)(
    '%s names words at its line, and a part of its study',
    (_id, study, { line, printed, part }) => {
      expect(printed.length).toBeGreaterThan(0);
      for (const words of printed) expect(publishedLines[study.id]?.[line]).toContain(words);
      expect(study.parts.map(({ id }) => id)).toContain(part);
    },
  );

  it.each(every)('%s links to a figure or table of its part', (_id, study, { part, see }) => {
    if (see === null || study.id === 'stability-aware') return;
    const titles = titlesOf(makeStudyDocument(inputOf(study, part, alike)));
    // A block that these runs do not have is a gap, named by its title.
    const all = study.parts.find(({ id }) => id === part)?.page.blocks ?? [];
    const planned = all.flatMap((block) => ('title' in block ? [block.title] : []));
    expect(
      [...titles, ...planned].some((title) => title.startsWith(see)),
      see,
    ).toBe(true);
  });

  it.each(studies.map((study) => [study.id, study] as const))(
    'of %s has an answer or a reason',
    (id, study) => {
      const board = boardOf(id, alike);
      expect(board.claims.map((claim) => claim.id)).toEqual(study.claims.map((claim) => claim.id));
      for (const { answer, sentence, missing, lines } of board.claims) {
        expect(sentence).not.toBe('');
        expect(sentence).not.toMatch(/NaN|undefined|Infinity/);
        if (answer === 'agrees' || answer === 'differs') expect(missing).toBeNull();
        // The sentence never says more than its lines.
        const sides = new Set(lines.map(({ side }) => side));
        if (answer === 'agrees') expect([...sides]).toContain('claimed');
        if (answer === 'differs') expect([...sides]).toContain('other');
      }
    },
  );

  it.each(studies.map((study) => [study.id] as const))(
    'of %s is open without three runs a side, and the board names the part',
    (id) => {
      const board = boardOf(id, alike, (state) =>
        'missing' in state
          ? state
          : { ...state, treatments: state.treatments.map((one) => ({ ...one, runs: one.runs.slice(0, 2) })) },
      );
      const tests = new Map(every.map(([claim, , { test }]) => [claim, test.kind]));
      for (const { id: claim, answer } of board.claims) {
        if (tests.get(claim) !== 'count') expect(['open', 'not testable']).toContain(answer);
      }
      expect(board.missing.length).toBeGreaterThan(0);
      const missing = makeBoard(findStudy(id) as PublishedStudy, () => ({ missing: 'its part was not run' }));
      expect(countAnswers(missing).agrees + countAnswers(missing).differs).toBe(0);
      expect(boardWords(missing)).toContain('0 agree, 0 differ');
    },
  );
});

const plain = ({ levels }: Treatment) => levels.security === 'plain';
/** A little of each run's own. */
const own = ({ key }: Treatment, block: number) => 1 + ((key.length * 7 + block * 3) % 5) / 500;

describe('boards from generated runs', () => {
  it('of v2x-tls agree and differ as the runs do', () => {
    const measuring =
      (tls: number, batch: number): Measuring =>
      (treatment, block) => {
        const { levels } = treatment;
        const readings = Number(levels.readingsPerMessage ?? 1);
        const cost = (plain(treatment) ? 1 : tls) * own(treatment, block);
        const chacha =
          String(levels.cipherSuite).includes('CHACHA') && levels.aesInstructions === 'off' ? 0.5 : 1;
        const per = (value: number) => value * cost * chacha * (readings > 1 ? batch : 1);
        return {
          ...Object.fromEntries(
            ['broker', 'publisher', 'subscriber'].flatMap((role) => [
              [`cpu.${role}`, 10 * cost],
              [`memory.${role}.mean`, 20 * cost],
              [`cpuPerMessage.${role}`, per(50) * readings],
            ]),
          ),
          'setUp.total': 5 * cost,
          'energy.total': 3 * cost,
          'energyPerMessage.total': per(1) * readings,
          'wire.perMessage': (plain(treatment) ? 1 : tls) * (100 * readings * (readings > 1 ? batch : 1)),
          'latency.mean': (readings > 1 ? batch : 1) * own(treatment, block),
          'rate.readings': 1000 / chacha / own(treatment, block),
          'count.lost': 0,
        };
      };
    expect(answersOf(boardOf('v2x-tls', measuring(1.5, 0.5)))).toEqual({
      V1: 'agrees',
      V2: 'agrees',
      V3: 'agrees',
      V4: 'agrees',
      V5: 'agrees',
      V6: 'not testable',
    });
    expect(answersOf(boardOf('v2x-tls', measuring(1.001, 2)))).toMatchObject({
      V2: 'differs',
      V3: 'differs',
      V4: 'differs',
    });
  });

  it('of rpi-broker agree and differ as the runs do', () => {
    const measuring =
      (isAsPublished: boolean): Measuring =>
      (treatment, block) => {
        const { levels } = treatment;
        const wobble = own(treatment, block);
        const subscribers = Number(levels.subscribers ?? 1);
        const isMqtt = levels.applicationProtocol === 'mqtt';
        const loss = Number(levels.loss ?? 0);
        const slow = isMqtt && loss > 0 ? (loss > 2 ? 20 : 10) : 1;
        const grown = isAsPublished ? 1 : 1 + subscribers / 50;
        const qos = Number(levels.qos ?? 0) === 0 ? 1.2 : 1;
        return {
          'cpu.broker':
            (plain(treatment) === isAsPublished ? 10 : 20) *
            (isAsPublished ? qos : 1 / qos) *
            (1 + subscribers / 20) *
            wobble,
          'memory.broker.mean': 10 * grown * wobble,
          'state.CON.frameBytes': plain(treatment) ? 194 : isAsPublished ? 3382 : 900,
          'exchange.p50': 10 * slow * (isAsPublished || isMqtt ? 1 : 1 + loss) * wobble,
          'exchange.p75': 13 * (isAsPublished ? slow : 1) * wobble,
          'exchange.throughput':
            (6 / (isAsPublished ? slow : 1)) * (isAsPublished || isMqtt ? 1 : 1 / (1 + loss)) * wobble,
          'availability.reached': isAsPublished ? 100 : 40,
          'availability.held': 1000,
          'availability.memoryGrowth': (isAsPublished ? 5 : -5) * wobble,
        };
      };
    const agreeing = answersOf(boardOf('rpi-broker', measuring(true)));
    expect(agreeing).toMatchObject({
      R1: 'agrees',
      R2: 'agrees',
      R3: 'agrees',
      R4: 'not testable',
      R5: 'agrees',
      R6: 'agrees',
      R7: 'agrees',
      R8: 'agrees',
      R9: 'agrees',
      R10: 'agrees',
      R11: 'agrees',
    });
    expect(answersOf(boardOf('rpi-broker', measuring(false)))).toMatchObject({
      R1: 'differs',
      R2: 'differs',
      R5: 'differs',
      R6: 'differs',
      R7: 'differs',
      R8: 'differs',
      R9: 'differs',
      R10: 'differs',
      R11: 'differs',
    });
  });

  it('of hecs4mqtt agree and differ as the runs do', () => {
    const measuring =
      (isAsPublished: boolean): Measuring =>
      (treatment, block) => {
        const cipher = String(treatment.levels.payloadCipher);
        const rank =
          cipher.startsWith('salsa') || cipher.startsWith('aes-128-ctr')
            ? 0.4
            : cipher.endsWith('eax')
              ? 4
              : 1;
        const slow = cipher.startsWith('salsa') ? 0.3 : rank;
        const of = (value: number) => (isAsPublished ? value : 1 / value) * own(treatment, block);
        return {
          'cpuPerMessage.publisher': 100 * of(slow),
          'encryption.mean': 10 * of(rank),
          'perf.cycles.publisher': 1e6 * of(slow),
          'latency.max': isAsPublished ? 40 : 900,
          'randomness.apEn.p': isAsPublished ? 0.4 : 0.001,
        };
      };
    expect(answersOf(boardOf('hecs4mqtt', measuring(true)))).toMatchObject({
      H1: 'agrees',
      H2: 'agrees',
      H3: 'agrees',
      H4: 'agrees',
      H5: 'agrees',
      H6: 'agrees',
      H10: 'not testable',
    });
    expect(answersOf(boardOf('hecs4mqtt', measuring(false)))).toMatchObject({
      H1: 'differs',
      H2: 'differs',
      H3: 'differs',
      H4: 'differs',
      H5: 'differs',
      H6: 'differs',
    });
  });

  it('of cipher-suites agree and differ as the runs do', () => {
    const measuring =
      (faster: number, version: number): Measuring =>
      (treatment, block) => {
        const { levels } = treatment;
        return {
          'setUp.tls': (levels.security === 'TLS 1.3' ? faster : 1) * own(treatment, block),
          'rate.messages': 1000 * (levels.mqttVersion === '5.0' ? version : 1) * own(treatment, block),
          'latency.mean': own(treatment, block),
        };
      };
    expect(answersOf(boardOf('cipher-suites', measuring(0.5, 1.01)))).toMatchObject({
      C4: 'not testable',
      C7: 'agrees',
      C8: 'open',
      C10: 'agrees',
      C11: 'not testable',
    });
    expect(answersOf(boardOf('cipher-suites', measuring(2, 1.3)))).toMatchObject({
      C7: 'differs',
      C10: 'differs',
    });
    const board = boardOf('cipher-suites', measuring(0.5, 1), (state) => ({
      ...(state as Exclude<PartState, { missing: string }>),
      clients: (['native', 'mosquitto', 'mqtt.js'] as const).map((client) => ({
        client,
        security: 'TLS 1.2',
        suite: 'AES256-GCM-SHA384',
        suiteGroup: 'RSA',
        mqttVersion: '3.1.1',
        transport: 'tcp',
        outcome: client === 'mqtt.js' ? 'fails' : 'works',
        reason: null,
        runId: 1,
      })) as never,
    }));
    expect(answersOf(board)).toMatchObject({ C8: 'differs' });
    expect(board.claims.find(({ id }) => id === 'C8')?.sentence).toContain('2 of 3');
  });

  it('of stability-aware agree and differ as the runs do', () => {
    const report = makeStabilityReport('full', 700);
    const measuring =
      (isAsPublished: boolean): Measuring =>
      (treatment, block) => {
        const { levels } = treatment;
        const cost = plain(treatment) ? (levels.payloadCipher === 'none' ? 1 : 1.083) : 1.182;
        const of = (value: number) =>
          (isAsPublished ? value : 1 / value) * (1 + block / 2000) * own(treatment, 1);
        const late = of(plain(treatment) ? (levels.payloadCipher === 'none' ? 1 : 2) : 4);
        return {
          'energy.publisher': 30 * of(cost),
          'energy.subscriber': 20 * of(cost),
          'power.publisher': 0.5 * of(cost),
          'latency.mean': 20 * late,
          'latency.p25': 15 * late,
          'latency.p75': 25 * late * of(1),
        };
      };
    const with_ = (state: PartState) => ({ ...(state as Exclude<PartState, { missing: string }>), report });
    const agreeing = answersOf(boardOf('stability-aware', measuring(true), with_));
    expect(agreeing).toMatchObject({
      S1: 'agrees',
      S2: 'agrees',
      S3: 'agrees',
      S5: 'agrees',
      S6: 'not testable',
      S7: 'agrees',
      S10: 'agrees',
      S11: 'agrees',
      // The report has a handshake of 1.5 times the load, and TLS at 92.7 mA over 78.4 of plain.
      S4: 'agrees',
      S9: 'differs',
    });
    expect(answersOf(boardOf('stability-aware', measuring(false), with_))).toMatchObject({
      S1: 'differs',
      S2: 'differs',
      S3: 'differs',
      S5: 'differs',
      S7: 'differs',
      S10: 'differs',
    });
  });
});
