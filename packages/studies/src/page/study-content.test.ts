import { toSvgText } from '@mqttlab/charts/drawing/svg';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { StudyScale } from '@mqttlab/shared/planning/study';
import { describe, expect, it } from 'vitest';
import { studies } from '../studies.ts';
import { countMarks, figuresOf, makeStudyInput, tableOf, wordsOf } from '../testing/study-input.ts';
import { makePartDocument, makeStudyClosing, makeStudyDocument } from './make-study-document.ts';

type Treatment = ComparedTreatment['treatment'];

/** Figures required on the page of a part, with their number of measured marks. */
type Content = Readonly<Record<string, (treatments: number) => number>>;

const each = (treatments: number) => treatments;
const eachRole = (treatments: number) => 3 * treatments;
const suites: Content = { 'Bandwidth by suite': each };
/** Box, cross, fastest and slowest message. */
const manySuites: Content = { ...suites, 'Message time by suite': (treatments) => 4 * treatments };
const ciphers = { Throughput: each, 'Encryption time at the publisher': each };

const contents: Readonly<Record<string, Content>> = {
  'v2x-tls/a': {
    'CPU utilisation': eachRole,
    'Memory footprint': eachRole,
    Energy: eachRole,
    'Wire bytes per reading': each,
  },
  'v2x-tls/b': {
    Goodput: each,
    'Execution time for 10,000 readings': each,
    'CPU time for 10,000 readings': eachRole,
  },
  'v2x-tls/c': { Goodput: each, 'CPU time per message': eachRole },
  'cipher-suites/a': manySuites,
  'cipher-suites/b': manySuites,
  'cipher-suites/c': suites,
  'cipher-suites/d': suites,
  'hecs4mqtt/a': ciphers,
  'rpi-broker/c': { 'Payload over median exchange': each },
};

/** Values of every metric that differ by treatment, and slightly by repetition. */
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
    for (const { title, table } of figures) {
      expect(table.rows.length, title).toBeGreaterThan(0);
      // Rows of one group are next to each other, under one heading.
      if (table.columns[0]?.head !== 'Group') continue;
      const groups = table.rows.map(([group]) => group);
      expect(
        groups.filter((group, at) => group !== groups[at - 1]),
        title,
      ).toEqual([...new Set(groups)]);
    }
    for (const [title, marksOf] of Object.entries(contents[part] ?? {})) {
      const own = figures.filter((figure) => figure.title.startsWith(title));
      expect(own.map((figure) => figure.title)).toEqual([title]);
      // The legend of some figures has an additional marker without tooltip.
      expect(own.map(countMarks)).toEqual([marksOf(input.treatments.length)]);
    }
  });

  it.each(parts)('%s draws no figure if its runs measured nothing', (part) => {
    const input = makeStudyInput(originOf(part), () => ({}));
    const treatments = input.treatments.map((one) => ({ ...one, latency: null, latencyWithFlagged: null }));
    const blocks = makeStudyDocument({ ...input, treatments });
    expect(figuresOf(blocks).map(({ title }) => title)).toEqual([]);
    expect(wordsOf(blocks)).not.toMatch(/NaN|undefined|Infinity/);
  });

  it.each(parts)('%s claims neither a difference nor its absence with one run each', (part) => {
    const input = withRuns(makeStudyInput(originOf(part), everything), (runs) => runs.slice(0, 1));
    const words = wordsOf(makeStudyDocument(input));
    expect(words).not.toMatch(/beyond what chance|does not differ|none of \d+ pairs|no difference detected/);
    expect(words).toContain('Intervals need at least 3 runs');
  });

  it.each(parts)('%s states that two runs have no interval', (part) => {
    const input = withRuns(makeStudyInput(originOf(part), everything), (runs) => runs.slice(0, 2));
    const blocks = makeStudyDocument(input);
    expect(wordsOf(blocks)).toContain('Intervals need at least 3 runs');
    for (const { title, caption, picture } of figuresOf(blocks)) {
      expect(caption, title).not.toMatch(/two runs it is wide|as over two runs|Bracket/i);
      expect(toSvgText(picture), title).not.toContain('with 95 % interval');
    }
  });

  it.each(parts)('%s keeps the values of runs whose flag does not affect them', (part) => {
    const flagged = withRuns(makeStudyInput(originOf(part), everything), (runs) =>
      // Affects only message latency.
      runs.map((run) => ({ ...run, flagged: true, failed: ['clock-good-enough'] })),
    );
    const blocks = makeStudyDocument(flagged);
    expect(wordsOf(blocks)).not.toMatch(/In 0 of 0 runs/);
    const marks = (of: typeof blocks) =>
      figuresOf(of)
        .filter(({ title }) => !/message time|latency|exchange/i.test(title))
        .map((figure) => [figure.title, countMarks(figure)]);
    expect(marks(blocks)).toEqual(marks(makeStudyDocument(makeStudyInput(originOf(part), everything))));
  });

  it.each(parts)('%s names its configurations by levels that vary', (part) => {
    const words = wordsOf(makeStudyDocument(makeStudyInput(originOf(part), everything)));
    expect(words).not.toMatch(/Broker \w+ broker/);
    expect(words).not.toMatch(/Plain · cloud broker only/);
    // Paraphrases are not presented as quotations.
    expect(words).not.toMatch(/in the words of the study/i);
    if (part !== 'v2x-tls/c') expect(words).not.toContain('· AES instructions');
  });
});

describe('the page of a study run', () => {
  it.each(studies.map((study) => [study.id, study] as const))(
    '%s states each reason once',
    (studyId, study) => {
      const inputs = study.parts.map(({ id: partId }) => makeStudyInput({ studyId, partId }, everything));
      const blocks = [...inputs.flatMap(makePartDocument), ...makeStudyClosing(inputs)];
      const items = blocks.flatMap((block) => (block.kind === 'list' ? block.items : []));
      expect(items.length).toBeGreaterThan(3);
      expect(new Set(items).size).toBe(items.length);
      const notes = inputs.map((input) => makePartDocument(input).filter(({ kind }) => kind === 'note'));
      for (const own of notes) {
        const reasons = own.map((note) => ('text' in note ? note.text.split(': ').at(-1) : ''));
        expect(new Set(reasons).size).toBe(reasons.length);
      }
      // A page of one part has the same reasons.
      const [first] = inputs;
      const single = first ? wordsOf(makeStudyDocument(first)) : '';
      for (const text of [...study.different, ...study.notStated]) expect(single).toContain(text);
    },
  );
});

describe('suites', () => {
  it.each(['a', 'b', 'c', 'd'])(
    'part %s compares every suite that was run, without rows of dashes',
    (partId) => {
      const input = makeStudyInput({ studyId: 'cipher-suites', partId }, everything);
      const blocks = makeStudyDocument(input);
      const { columns, rows } = tableOf(blocks, 'Responses of the study by suite');
      expect(rows).toHaveLength(input.treatments.length);
      expect(columns.map(({ head }) => head)).toContain('Total run time');
      for (const block of blocks) {
        if (block.kind !== 'table') continue;
        for (const row of block.table.rows) expect(row.slice(1).some((cell) => cell !== null)).toBe(true);
      }
      // Each suite is a mark in a bandwidth figure; all figures share one scale.
      const drawn = figuresOf(blocks).filter(({ title }) => title.startsWith('Bandwidth by suite'));
      expect(drawn.reduce((sum, figure) => sum + countMarks(figure), 0)).toBe(input.treatments.length);
    },
  );

  it('uses run times and bandwidth of the clients, and sent over received as in the text', () => {
    const input = makeStudyInput({ studyId: 'cipher-suites', partId: 'a' }, () => ({
      'rate.messages': 60_000,
      'count.sent': 1000,
      'count.received': 500,
      'publishers.runTime': 0.0342,
      'publishers.totalRunTime': 0.0401,
      'publishers.rate': 2924,
    }));
    const { columns, rows } = tableOf(makeStudyDocument(input), 'Responses of the study by suite');
    for (const row of rows) {
      const at = (head: string) => Number(row[columns.findIndex((column) => column.head === head)]);
      expect(at('Total run time')).toBe(0.0401);
      expect(at('Average bandwidth')).toBe(2924);
      expect(at('Total ratio')).toBe(2);
    }
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

  it('shows best and worst suite next to the published ones, and omits a suite without messages', () => {
    const input = makeStudyInput({ studyId: 'cipher-suites', partId: 'a' }, ({ levels }) => ({
      'rate.messages': String(levels.cipherSuite).startsWith('ECDHE-ECDSA') ? 22_000 : 0,
    }));
    const blocks = makeStudyDocument(input);
    const own = 'ECDHE-ECDSA-AES256-GCM-SHA384';
    expect(tableOf(blocks, 'Best and worst suite').rows.slice(0, 2)).toEqual([
      ['MQTT 3.1.1', 1, 'best', own, 22_000, 'ECDHE-RSA-CHACHA20-POLY1305'],
      ['MQTT 3.1.1', 1, 'worst', own, 22_000, 'ECDHE-ECDSA-AES256-SHA'],
    ]);
  });

  it('finds the best QoS, suite and version of TLS over the parts of both versions', () => {
    const partOf = (partId: string) =>
      makeStudyInput({ studyId: 'cipher-suites', partId }, ({ levels }) => ({
        'rate.messages': levels.cipherSuite === 'TLS_CHACHA20_POLY1305_SHA256' ? 30_000 : 20_000,
      }));
    expect(wordsOf(makeStudyClosing([partOf('a')]))).not.toContain('Best QoS');
    const blocks = makeStudyClosing([partOf('a'), partOf('b')]);
    expect(tableOf(blocks, 'Best QoS').rows).toEqual([
      ['lo', '0', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS 1.3', '3.1.1', 30_000],
    ]);
  });
});

describe('v2x-tls', () => {
  it('draws plain and TLS side by side, grouped by packaging', () => {
    const input = makeStudyInput({ studyId: 'v2x-tls', partId: 'a' }, everything, { scale: 'bench' });
    const cpu = figuresOf(makeStudyDocument(input)).find(({ title }) => title === 'CPU utilisation');
    const names = cpu?.table.rows.map(([name]) => name) ?? [];
    expect(names).toHaveLength(9);
    expect(names).toContain('Plain · batch 1');
    // Three panels with three groups each.
    expect(cpu && toSvgText(cpu.picture).match(/>batch \d+/g)).toHaveLength(9);
  });

  it('shows wire bytes and CPU time per reading for every packaging', () => {
    const metrics = ({ levels }: Treatment) => ({
      'wire.perMessage': 100 * Number(levels.readingsPerMessage) + 60,
      'cpuPerMessage.broker': 20,
    });
    const rowsOf = (partId: string, title: string) =>
      figuresOf(makeStudyDocument(makeStudyInput({ studyId: 'v2x-tls', partId }, metrics))).find(
        (figure) => figure.title === title,
      )?.table.rows ?? [];
    // 20 µs per message: 0.2 s for 10,000 messages of one reading, a sixteenth in batches of 16.
    expect(rowsOf('b', 'CPU time for 10,000 readings')).toContainEqual(['Plain · batch 1', 0.2]);
    expect(rowsOf('b', 'CPU time for 10,000 readings')).toContainEqual(['Plain · batch 16', 0.0125]);
    expect(rowsOf('a', 'Wire bytes per reading')).toContainEqual(['Plain · batch 16', 103.75]);
  });
});

describe('stability-aware', () => {
  it('states if energy in 600 s is extrapolated from shorter runs', () => {
    const rowsAt = (scale: StudyScale) =>
      tableOf(
        makeStudyDocument(makeStudyInput({ studyId: 'stability-aware', partId: 'a' }, everything, { scale })),
        'Summary of emitter and receiver',
      ).rows.map(([response]) => String(response));
    expect(rowsAt('smoke')).toContain('Energy in 600 s, extrapolated from 5.2 s, mAh');
    expect(rowsAt('full')).toContain('Energy in 600 s, mAh');
  });

  it('compares overheads over plain, except that of a latency that is a round trip', () => {
    const input = makeStudyInput({ studyId: 'stability-aware', partId: 'a' }, ({ levels }, block) => ({
      'latency.mean': (levels.payloadCipher === 'none' ? 2 : 3) + block * 0.01,
      'power.publisher': 1,
    }));
    const { rows } = tableOf(makeStudyDocument(input), 'Summary of emitter and receiver');
    const of = (response: string) =>
      rows.find(([label, name]) => label === response && String(name).startsWith('ECDH + AES-128-CBC'));
    expect([of('Latency, ms')?.[2], of('Latency, ms')?.[4], of('Latency, ms')?.[5]]).toEqual([
      32.1,
      '–',
      '+49.5',
    ]);
    expect([of('Current, mA')?.[2], of('Current, mA')?.[4]]).toEqual([84.9, '+8.3']);
    const memory = rows.filter(([label]) => label === 'Memory, KB');
    expect(memory.map(([, , published]) => published)).toEqual(memory.map(() => null));
  });
});

describe('hecs4mqtt', () => {
  it('shows the published run next to ours only with the same size and rate', () => {
    const metrics = () => ({
      'count.sent': 100,
      'rate.messages': 2,
      'cpuPerMessage.publisher': 500,
      'rate.encrypted': 13_000,
    });
    const at = (scale: StudyScale) =>
      makeStudyDocument(makeStudyInput({ studyId: 'hecs4mqtt', partId: 'a' }, metrics, { scale }));
    const run = tableOf(at('full'), 'The published run').rows;
    expect(run[0]).toEqual(['Elapsed, s', expect.any(String), 51.07, 50]);
    expect(run[1]).toEqual(['Task clock, ms', expect.any(String), 93.23, 50]);
    expect(run.at(-1)).toEqual(['Throughput, B/s', expect.any(String), 12_938.14, 13_000]);
    expect(wordsOf(at('smoke'))).toContain(
      'no run used ChaCha20-Poly1305 at 5 KB with one message every 0.5 s',
    );
    const alone = tableOf(at('smoke'), 'Published values, with their lines').rows;
    expect(alone.find(([quantity]) => quantity === 'task clock, ms')?.slice(0, 2)).toEqual([
      'task clock, ms',
      'ChaCha20-Poly1305 100 messages: 93.23 (351)',
    ]);
    expect(String(alone.find(([quantity]) => quantity === 'encryption time, ms')?.[1])).toContain(
      ': above 135',
    );
    expect(wordsOf(at('smoke'))).toContain('different here: one message every 0.5 s, according to its log');
  });
});
