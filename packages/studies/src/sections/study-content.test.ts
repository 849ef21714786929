import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { toSvgText } from '@mqttlab/shared/figures/drawing/svg';
import type { StudyScale } from '@mqttlab/shared/planning/study';
import { describe, expect, it } from 'vitest';
import { studies } from '../studies.ts';
import { makeStabilityTestbed } from '../testing/stability-report.ts';
import { countMarks, figuresOf, makeStudyInput, tableOf, wordsOf } from '../testing/study-input.ts';
import { makeStudyDocument } from './make-study-document.ts';

type Treatment = ComparedTreatment['treatment'];

/** What the page of a part has to show, whatever draws it. */
interface Content {
  /** Figures by title; each with as many marks of measured values as this, given the number of treatments. */
  figures?: Readonly<Record<string, (treatments: number) => number>>;
  /** Findings of the study that the page has to judge. */
  findings?: readonly string[];
}

const each = (treatments: number) => treatments;
const eachRole = (treatments: number) => 3 * treatments;
const suites: Content = { figures: { 'Bandwidth by suite': each, 'Mean message time by suite': each } };
const v2xRoles = { 'CPU utilisation': eachRole, 'Memory footprint': eachRole, Energy: eachRole };
const ciphers = { Throughput: each, 'Encryption time at the publisher': each };
const availability = { 'Attempts of a legitimate client that reached the broker': each };

const contents: Readonly<Record<string, Content>> = {
  'cipher-suites/a': suites,
  'cipher-suites/b': suites,
  'cipher-suites/c': suites,
  'cipher-suites/d': suites,
  'v2x-tls/a': {
    figures: {
      ...v2xRoles,
      'CPU time for each message': eachRole,
      'Bytes on the wire for each reading': each,
    },
    findings: ['(i)', '(ii)', '(iii)'],
  },
  'v2x-tls/b': {
    figures: { ...v2xRoles, Goodput: each, 'Execution time for 10,000 readings': each },
    findings: ['(i)', '(ii)', '(iii)'],
  },
  'v2x-tls/c': { figures: { Goodput: each }, findings: ['(iii)'] },
  'hecs4mqtt/a': { figures: ciphers },
  'rpi-broker/c': { figures: { 'Payload over median exchange, published and measured': each } },
  'rpi-broker/d': { figures: availability },
  'rpi-broker/e': { figures: availability },
};

/** Some value of every metric, different for each treatment, and in each repetition by a little. */
function everything({ key }: Treatment, block: number): Record<string, number> {
  const own = [...key].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 97, 7);
  return Object.fromEntries(
    metrics.map(({ id, quantity }) => [
      id,
      quantity === 'proportion' ? 0.5 + block / 100 : 100 + own + block * (1 + (own % 3)) * 0.1,
    ]),
  );
}

const parts = studies.flatMap((study) =>
  study.parts.filter(({ plan }) => plan !== null).map(({ id }) => `${study.id}/${id}`),
);
const scales: readonly StudyScale[] = ['smoke', 'bench'];
const cases = parts.flatMap((part) => scales.map((scale) => [part, scale] as const));

function originOf(part: string) {
  const [studyId = '', partId = ''] = part.split('/');
  return { studyId, partId };
}

function withRuns(
  input: ReturnType<typeof makeStudyInput>,
  change: (runs: ComparedTreatment['runs']) => ComparedTreatment['runs'],
) {
  return { ...input, treatments: input.treatments.map((one) => ({ ...one, runs: change(one.runs) })) };
}

describe('every part of every study', () => {
  it.each(cases)('%s at %s scale draws each response once, with every configuration in it', (part, scale) => {
    const input = makeStudyInput(originOf(part), everything, { scale });
    const figures = figuresOf(makeStudyDocument(input));
    const titles = figures.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const figure of figures) expect(figure.table.rows.length, figure.title).toBeGreaterThan(0);
    for (const [title, marksOf] of Object.entries(contents[part]?.figures ?? {})) {
      const own = figures.filter((figure) => figure.title.startsWith(title));
      expect(own.map((figure) => figure.title)).toEqual([title]);
      // The key of some figures shows one marker more, without a tip.
      expect(own.map(countMarks)).toEqual([marksOf(input.treatments.length)]);
    }
  });

  it.each(cases)('%s at %s scale judges each finding of its study', (part, scale) => {
    const words = wordsOf(makeStudyDocument(makeStudyInput(originOf(part), everything, { scale })));
    for (const finding of contents[part]?.findings ?? []) expect(words).toContain(`As published: ${finding}`);
  });

  it.each(parts)('%s draws no figure if its runs measured nothing', (part) => {
    const input = makeStudyInput(originOf(part), () => ({}));
    const treatments = input.treatments.map((one) => ({ ...one, latency: null, latencyWithFlagged: null }));
    const blocks = makeStudyDocument({ ...input, treatments });
    expect(figuresOf(blocks).map(({ title }) => title)).toEqual([]);
    expect(wordsOf(blocks)).not.toMatch(/NaN|undefined|Infinity/);
    // Nothing of ours is there to be next to.
    const standing = blocks.find(
      (block) => block.kind === 'table' && block.caption.startsWith('Published values'),
    );
    const measuredAlone = standing?.kind === 'table' ? standing.table.rows.map((row) => row[5]) : [];
    if (part === 'rpi-broker/c') expect(measuredAlone).not.toContain('yes');
  });

  it.each(parts)('%s claims neither a difference nor its absence from one run of each', (part) => {
    const input = withRuns(makeStudyInput(originOf(part), everything), (runs) => runs.slice(0, 1));
    const words = wordsOf(makeStudyDocument(input));
    expect(words).not.toMatch(/beyond what chance|does not differ|none of \d+ pairs|no difference detected/);
    expect(words).toContain('numbers have no interval');
  });

  it.each(parts)('%s has no interval over two runs, and says so', (part) => {
    const input = withRuns(makeStudyInput(originOf(part), everything), (runs) => runs.slice(0, 2));
    const blocks = makeStudyDocument(input);
    expect(wordsOf(blocks)).toContain('numbers have no interval');
    for (const { title, caption, picture } of figuresOf(blocks)) {
      expect(caption, title).not.toMatch(/two runs it is wide|as over two runs|Bracket/i);
      expect(toSvgText(picture), title).not.toContain('with 95 % interval');
    }
  });

  it.each(parts)('%s keeps the values of runs whose flag does not affect them', (part) => {
    const flagged = withRuns(makeStudyInput(originOf(part), everything), (runs) =>
      // It affects nothing but latency of messages.
      runs.map((run) => ({ ...run, flagged: true, failed: ['clock-good-enough'] })),
    );
    const blocks = makeStudyDocument(flagged);
    expect(wordsOf(blocks)).not.toMatch(/In 0 of 0 runs/);
  });

  it.each(parts)('%s names its configurations by levels that vary', (part) => {
    const words = wordsOf(makeStudyDocument(makeStudyInput(originOf(part), everything)));
    expect(words).not.toMatch(/Broker \w+ broker/);
    expect(words).not.toMatch(/Plain · cloud broker only/);
    // What is paraphrased is not called a quotation.
    expect(words).not.toMatch(/in the words of the study/i);
    if (part !== 'v2x-tls/c') expect(words).not.toContain('· AES instructions');
  });
});

describe('suites', () => {
  it.each(['a', 'b', 'c', 'd'])(
    'part %s has one table of the suites that were run, without rows of dashes',
    (partId) => {
      const input = makeStudyInput({ studyId: 'cipher-suites', partId }, everything);
      const blocks = makeStudyDocument(input);
      const { columns, rows } = tableOf(blocks, 'Responses of the study by suite');
      const at = (head: string) => columns.findIndex((column) => column.head === head);
      expect(rows).toHaveLength(input.treatments.length);
      expect(at('Total run time')).toBeGreaterThan(0);
      for (const block of blocks) {
        if (block.kind !== 'table') continue;
        const empty = block.table.rows.filter((row) => row.slice(2, -1).every((cell) => cell === null));
        if (block.caption.startsWith('Where the suites')) expect(empty).toEqual([]);
        if (!block.caption.startsWith('Published values')) continue;
        const reasons = new Set(block.table.rows.map((row) => row.at(-1)));
        expect(block.table.rows.length === 1 || reasons.size > 1).toBe(true);
      }
    },
  );

  it('takes run times and the bandwidth of a client from the clients, whatever their number', () => {
    const input = makeStudyInput({ studyId: 'cipher-suites', partId: 'a' }, () => ({
      'rate.messages': 60_000,
      'count.sent': 1000,
      'count.received': 1000,
      'publishers.runTime': 0.0342,
      'publishers.totalRunTime': 0.0401,
      'publishers.rate': 2924,
    }));
    const { columns, rows } = tableOf(makeStudyDocument(input), 'Responses of the study by suite');
    for (const row of rows) {
      const at = (head: string) => Number(row[columns.findIndex((column) => column.head === head)]);
      expect(at('Total run time')).toBeGreaterThanOrEqual(at('Average run time'));
      expect(at('Average bandwidth')).toBe(2924);
    }
  });

  it('draws one figure for each version of MQTT, with every suite in one of them', () => {
    const input = makeStudyInput({ studyId: 'cipher-suites', partId: 'a' }, everything, { scale: 'full' });
    const figures = figuresOf(makeStudyDocument(input)).filter(({ title }) =>
      title.startsWith('Bandwidth by suite'),
    );
    expect(figures.map(({ title }) => title.split(': ')[1])).toEqual(
      expect.arrayContaining(['MQTT 3.1', 'MQTT 3.1.1', 'MQTT 5.0']),
    );
    expect(figures).toHaveLength(3);
    expect(figures.reduce((sum, figure) => sum + countMarks(figure), 0)).toBe(input.treatments.length);
  });

  it('keeps decimals of rates of few messages', () => {
    const input = makeStudyInput({ studyId: 'cipher-suites', partId: 'c' }, () => ({
      'rate.messages': 8.76,
    }));
    const { columns } = tableOf(makeStudyDocument(input), 'Responses of the study by suite');
    const format = columns.find(({ head }) => head === 'Total bandwidth')?.format;
    expect(format?.(8.76)).toBe('8.76');
    expect(format?.(21_295)).toBe('21,295');
  });

  it('calls no suite the fastest that differs from others by chance only', () => {
    const noisy = makeStudyInput({ studyId: 'cipher-suites', partId: 'b' }, ({ key }, block) => ({
      'rate.messages': 20_000 + 3000 * ((key.length * 7 + block * 5) % 4),
    }));
    const words = wordsOf(makeStudyDocument(noisy));
    expect(words).toContain('Not distinguished from it at this sample size');
    expect(words).not.toContain('Lower than it');
    const clear = makeStudyInput({ studyId: 'cipher-suites', partId: 'b' }, ({ levels }, block) => ({
      'rate.messages': (String(levels.cipherSuite).includes('CHACHA') ? 30_000 : 20_000) + block * 10,
    }));
    expect(wordsOf(makeStudyDocument(clear))).toContain('Lower than it');
  });
});

describe('v2x-tls', () => {
  it('draws plain and TLS side by side, in one group for each packaging', () => {
    const input = makeStudyInput({ studyId: 'v2x-tls', partId: 'a' }, everything, { scale: 'bench' });
    const cpu = figuresOf(makeStudyDocument(input)).find(({ title }) => title === 'CPU utilisation');
    const names = cpu?.table.rows.map(([name]) => name) ?? [];
    expect(names).toHaveLength(9);
    expect(names).toContain('Plain · batch 1');
    // Three panels with three groups each.
    expect(cpu && toSvgText(cpu.picture).match(/>batch \d+/g)).toHaveLength(9);
  });

  it('counts a pair with too few runs as not tested, however far apart the values are', () => {
    const input = withRuns(
      makeStudyInput({ studyId: 'v2x-tls', partId: 'c' }, ({ levels }, block) => ({
        'cpuPerMessage.broker': (String(levels.cipherSuite).includes('CHACHA') ? 1365 : 260) + block,
        'cpuPerMessage.publisher': 40 + block,
      })),
      (runs) => runs.slice(0, 1),
    );
    const finding = makeStudyDocument(input).find(
      (block) => block.kind === 'paragraph' && block.text.startsWith('As published: (iii)'),
    );
    expect(finding?.kind === 'paragraph' ? finding.text : '').toMatch(/not tested: 1 pair with fewer than 3/);
  });
});

describe('latency of hecs4mqtt', () => {
  it('is judged by the slowest message, not by means', () => {
    const input = makeStudyInput({ studyId: 'hecs4mqtt', partId: 'b' }, (_, block) => ({
      'latency.mean': 12,
      'latency.max': block === 2 ? 812 : 60,
    }));
    expect(wordsOf(makeStudyDocument(input))).toMatch(/took 812\sms, which is not below it/);
  });

  it('judges altered messages also in runs that are flagged for their times', () => {
    const input = makeStudyInput({ studyId: 'hecs4mqtt', partId: 'c' }, () => ({
      'count.altered': 10,
      'bridge.rejected': 10,
    }));
    const busy = withRuns(input, (runs) =>
      runs.map((run) => ({ ...run, flagged: true, failed: ['device-idle'] })),
    );
    expect(wordsOf(makeStudyDocument(busy))).toMatch(/In all \d+ runs every altered message was rejected/);
  });
});

describe('stability-aware', () => {
  it('says if energy in 600 s comes from shorter runs', () => {
    const rowsAt = (scale: StudyScale) =>
      tableOf(
        makeStudyDocument(makeStudyInput({ studyId: 'stability-aware', partId: 'a' }, everything, { scale })),
        'Summary of the emitter',
      ).rows.map(([response]) => String(response));
    expect(rowsAt('smoke').filter((response) => response.startsWith('Energy in 600 s'))).toContain(
      'Energy in 600 s, mAh, extrapolated from 6 s',
    );
    expect(rowsAt('full')).toContain('Energy in 600 s, mAh');
  });

  it('adjusts the hypothesis of two alternatives for both', () => {
    const answerOf = (hybrid: readonly number[]) => {
      const input = makeStudyInput(
        { studyId: 'stability-aware', partId: 'a' },
        ({ levels }, block) => {
          const isHybrid = levels.payloadCipher !== 'none';
          const energies = levels.security !== 'plain' ? [112, 108, 115] : isHybrid ? hybrid : [100, 101, 99];
          return {
            'energy.publisher': energies[block - 1] ?? null,
            'latency.mean': (levels.security === 'plain' ? 20 : 40) + block / 10,
          };
        },
        { testbed: makeStabilityTestbed() },
      );
      return /H3, [^\n]*?: (holds|stays open|is refuted)/.exec(wordsOf(makeStudyDocument(input)))?.[1];
    };
    // Against plain p is below 0.05 and above 0.025: enough for one alternative, too much for one of two.
    expect(answerOf([112, 108, 114])).toBe('stays open');
    // The hybrid is far better.
    expect(answerOf([80, 79.5, 80.5])).toBe('holds');
  });
});
