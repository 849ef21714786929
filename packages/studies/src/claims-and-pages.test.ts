import type { Quantity } from '@mqttlab/charts/blocks/blocks';
import { measured, measuredCell } from '@mqttlab/charts/blocks/measured';
import { anchorOf, type Block } from '@mqttlab/charts/document/blocks';
import type { DocumentTable } from '@mqttlab/charts/table';
import type { Contrast, PartEvidence, Test } from '@mqttlab/shared/analysis/claims/claim';
import { contrastLines, select } from '@mqttlab/shared/analysis/claims/lines';
import { type ClaimResult, claimBoardSchema } from '@mqttlab/shared/domain/report/claims';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makeBoard } from './claims/board.ts';
import { judgePart } from './claims/judge-report.ts';
import type { StudyInput } from './page/input.ts';
import { makePartDocument } from './page/make-study-document.ts';
import { findPublished } from './published.ts';
import { studies } from './studies.ts';
import type { PublishedPart } from './study.ts';
import { publishedLines } from './testing/published-lines.ts';
import { makeStabilityTestbed } from './testing/stability-report.ts';
import { inputOf, makeClients, type World, worlds } from './testing/worlds.ts';

const [study0] = studies;
if (!study0) throw new Error('there are no studies');

/** The published load on a broker with four cores, which one claim requires. */
function asPublished(world: World): StudyInput {
  const input = inputOf('rpi-broker', 'a', world, {
    scale: 'full',
    facts: {
      cpuModel: null,
      cpuFeatures: [],
      broker: 'EMQX',
      devices: [{ role: 'broker', cpuModel: null, cpuFeatures: null, cores: 4 }],
    },
  });
  const treatments = input.treatments.map((one) => ({
    ...one,
    treatment: { ...one.treatment, levels: { ...one.treatment.levels, broker: 'external' } },
  }));
  return { ...input, treatments };
}

const drawn = studies.flatMap((study) =>
  worlds.flatMap((world) => {
    const inputs = study.parts.map(({ id }) => inputOf(study.id, id, world));
    const board = makeBoard(study, (partId) => {
      const found = inputs.find(({ origin }) => origin.partId === partId);
      const clients = world === 'noise' ? null : makeClients(world);
      return found ? { ...found, clients } : { missing: 'its part was not run' };
    });
    const parts = inputs.map((input) => ({ input, blocks: makePartDocument(input) }));
    return [{ study, world, board, parts }];
  }),
);
const four = (['as claimed', 'opposite'] as const).map((world) => {
  const input = asPublished(world);
  const results = judgePart(input.origin, input).filter(({ id }) => id === 'R4');
  return {
    study: study0,
    world,
    board: { claims: results, missing: [] },
    parts: [{ input, blocks: makePartDocument(input) }],
  };
});
const all = [...drawn, ...four];

/** The figure or table under a title, its panels included. */
function tablesOf(blocks: readonly Block[], title: string): DocumentTable[] {
  const anchor = anchorOf(title);
  return blocks.flatMap((block) =>
    (block.kind === 'table' || block.kind === 'figure') && block.id.startsWith(anchor) ? [block.table] : [],
  );
}

function anchorsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'note') return block.ids ?? [];
    return 'id' in block ? [block.id] : [];
  });
}

/** The first number of a cell: of "−3.5 % [−4, −3]" it is -3.5. */
function numberIn(cell: unknown): number {
  if (typeof cell === 'number') return cell;
  const [found] = /[+−×]?\d[\d,]*(\.\d+)?/.exec(String(cell)) ?? [];
  return Number((found ?? 'none').replace('−', '-').replace(/[+×,]/g, ''));
}

/** Numbers of a column of a table, by its head. */
function column(table: DocumentTable | undefined, head: string): number[] {
  const at = table?.columns.findIndex((one) => one.head === head) ?? -1;
  if (!table || at < 0) throw new Error(`there is no column ${head}`);
  return table.rows.map((row) => numberIn(row[at]));
}

function contrastsIn(test: Test): Contrast[] {
  if (test.kind === 'contrast') return [test.contrast];
  return 'tests' in test ? test.tests.flatMap(contrastsIn) : [];
}

function quantitiesOf(part: PublishedPart, title: string, input: StudyInput): Quantity[] {
  return part.blocks.flatMap((block) => {
    if (!('title' in block) || block.title !== title) return [];
    if (block.kind === 'responses') return block.quantities(input);
    if ('quantities' in block) return block.quantities;
    return block.kind === 'fit' ? [block.quantity] : [];
  });
}

describe('links of claims', () => {
  it.each(studies.map((study) => [study.id, study] as const))(
    'of %s name figures and tables of their part',
    (_id, { claims, parts }) => {
      for (const { id, part, see } of claims) {
        const blocks = parts.find((one) => one.id === part)?.blocks ?? [];
        const titles = blocks.flatMap((block) => ('title' in block ? [block.title] : []));
        for (const title of see)
          expect([...titles, ...titles.map((one) => `${one}: lines`)], id).toContain(title);
      }
    },
  );

  it.each(drawn.map((one) => [one.study.id, one.world, one] as const))(
    'of %s lead to an anchor of the page, %s',
    (_id, _world, { board, parts }) => {
      for (const { id, part, see, lines } of board.claims) {
        const found = parts.find(({ input }) => input.origin.partId === part);
        if (lines.length === 0) continue;
        const anchors = anchorsOf(found?.blocks ?? []);
        expect(new Set(anchors).size).toBe(anchors.length);
        for (const title of see) expect(anchors, id).toContain(anchorOf(title));
      }
    },
  );
});

/** Comparisons of single treatments: the claim and the cells of the page have the same values. */
function checkContrast(
  { part, see, id }: { part: PublishedPart; see: readonly string[]; id: string },
  contrast: Contrast,
  { input, blocks }: { input: StudyInput; blocks: readonly Block[] },
): number {
  let checked = 0;
  const chosen = select(input.treatments, contrast.where ?? {});
  for (const measure of contrast.measures) {
    const shown = see.flatMap((title) =>
      quantitiesOf(part, title, input)
        .filter((quantity) => quantity.measure === measure && quantity.over === undefined)
        .map((quantity) => ({ quantity, cells: tablesOf(blocks, title).flatMap(({ rows }) => rows.flat()) })),
    );
    const [first] = shown;
    const estimateOf = (one: StudyInput['treatments'][number]) => measured(input, one, measure);
    if (!first) continue;
    for (const one of select(chosen, contrast.of)) {
      const cell = measuredCell(measured(input, one, measure, first.quantity.scale));
      if (cell !== null) expect(first.cells, `${id}: ${one.treatment.label}`).toContain(cell);
      for (const other of select(chosen, contrast.against).slice(0, 4)) {
        const evidence: PartEvidence = { ...input, treatments: [one, other] };
        const [line] = contrastLines({ ...contrast, measures: [measure] }, evidence);
        const [own, base] = [estimateOf(one), estimateOf(other)];
        if (!line || !('value' in line) || !own || !base) continue;
        const expected = line.scale === 'ratio' ? own.value / base.value : own.value - base.value;
        expect(line.value / expected, `${id}: ${line.label}`).toBeCloseTo(1, 6);
        checked += 1;
      }
    }
  }
  return checked;
}

type Doc = {
  result: ClaimResult;
  input: StudyInput;
  table: (title: string, index?: number) => DocumentTable;
};

function lineOf({ lines }: ClaimResult, label: string): number {
  const found = lines.find((line) => line.label.includes(label));
  if (!found || found.value === null) throw new Error(`no line ${label}`);
  return found.value;
}

/** Within a share of each other: sentences have three digits. */
function same(a: number, b: number, share = 5e-3): void {
  expect(Math.abs(a / b - 1), `${a} and ${b}`).toBeLessThan(share);
}

/** Claims judged by a function: compares their figures with the linked table. */
const special: Readonly<Record<string, (doc: Doc) => void>> = {
  V1: ({ result, table }) => {
    const costs = table('Latency and cost per reading');
    const isTls = costs.rows.map(([name]) => !String(name).startsWith('Plain'));
    const most = (head: string) => Math.max(...column(costs, head).filter((_, index) => isTls[index]));
    same(numberIn(/at most ([\d.]+)/.exec(result.sentence)?.[1]), most('Largest CPU of a role'));
    expect(result.lines[0]?.side).toBe(most('Lost') === 0 ? 'claimed' : 'other');
  },
  R3: ({ result, table }) => {
    const [slope = 0] = column(table('CPU of the broker over subscribers', 1), 'Slope');
    if (result.answer === 'agrees') same(lineOf(result, 'increase of'), slope * 90, 0.02);
  },
  R4: ({ result, table }) => {
    const lines = table('CPU of the broker over subscribers: lines');
    const at = lines.rows.findIndex(
      ([name]) => String(name).startsWith('TLS') && !String(name).includes('published'),
    );
    same(lineOf(result, 'exhausted') * 156.33, column(lines, 'Limit reached at')[at] ?? 0, 0.02);
  },
  R10: ({ result, table }) => {
    const reached = column(table('Attempts to connect, and cost at the broker'), 'Reached, lowest run');
    same(numberIn(/at least ([\d.]+)/.exec(result.sentence)?.[1]), reached[0] ?? 0);
  },
  R11: ({ result, table }) =>
    same(
      lineOf(result, 'memory'),
      column(table('Attempts to connect, and cost at the broker'), 'Memory gained')[0] ?? 0,
      0.01,
    ),
  R12: ({ result, table }) => {
    const payloads = table('What an eavesdropper sees').rows.find(([what]) => what === 'Payloads') ?? [];
    expect(lineOf(result, 'plain MQTT')).toBe(payloads[1] === 'seen' ? 1 : 0);
    expect(lineOf(result, 'of TLS')).toBe(payloads.slice(2).filter((word) => word !== 'seen').length);
  },
  H5: ({ result, table }) =>
    same(
      numberIn(/slowest ([\d.]+)/.exec(result.sentence)?.[1]),
      Math.max(...column(table('Layered against TLS only'), 'Largest latency')),
    ),
  H6: ({ result, table }) => {
    const least = column(table('Approximate entropy of the ciphertext (NIST SP 800-22)'), 'Lowest run');
    same(numberIn(/lowest ([\d.]+)/.exec(result.sentence)?.[1]), Math.min(...least), 0.01);
  },
  H7: ({ result, table }) => {
    const log = table('Tamper log: messages with one altered bit, sum over all runs');
    const isAll = String(column(log, 'Altered')) === String(column(log, 'Rejected'));
    expect(result.lines[0]?.side).toBe(isAll ? 'claimed' : 'other');
  },
  S4: ({ result, table }) => {
    const handshake = table('Handshake and steady state of the emitter');
    const early = handshake.columns.find(({ head }) => head.startsWith('In the first'))?.head ?? '';
    const [first, steady] = [column(handshake, early), column(handshake, 'Steady current')];
    same(lineOf(result, 'after the start'), (first[1] ?? 0) / (steady[1] ?? 1), 0.02);
    same(lineOf(result, 'current, TLS 1.2 divided by plain'), (steady[1] ?? 0) / (steady[0] ?? 1), 0.02);
  },
  S6: ({ result, table }) => {
    const { columns, rows } = table('Summary of emitter and receiver');
    const at = columns.findIndex(({ head }) => head === 'Measured');
    const of = (response: string) =>
      numberIn(rows.find(([head, name]) => String(head).startsWith(response) && name === 'Plain')?.[at]);
    same(lineOf(result, 'receiver, plain'), of('Energy in') / of('Energy of the receiver'), 0.01);
  },
  S7: ({ result, table }) => {
    const d = column(table('Effect sizes'), 'Cohen’s d');
    expect(d).toEqual(result.lines.map(({ value }) => value));
  },
  S8: ({ result, table }) => {
    const { columns, rows } = table('Relative overhead of the cumulative energy');
    const at = columns.findIndex(({ head }) => head === 'Mean');
    const last = (name: string) => numberIn(rows.findLast((row) => String(row[0]).startsWith(name))?.[at]);
    const apart = last('TLS 1.2, RSA') - last('ECDH + AES-128-CBC');
    expect(Math.abs(lineOf(result, 'at the end, TLS') - apart)).toBeLessThan(1);
  },
  S9: ({ result, table }) => {
    const ranking = table('Ranking when only TLS is perturbed');
    const figures = ranking.rows.flatMap((row) => row.slice(2).map(numberIn));
    const own = result.lines
      .filter(({ label }) => label.startsWith('TLS'))
      .map(({ figure }) => numberIn(figure));
    expect(own).toHaveLength(figures.length);
    // Their intervals have different levels, and so different digits.
    for (const [index, figure] of own.entries()) {
      expect(Math.abs(figure - (figures[index] ?? 0))).toBeLessThan(0.5);
    }
  },
  S11: ({ result, table }) => {
    const [plain = 0, tls = 0, hybrid = 0] = column(table('Battery life'), 'Months if plain lasts 12');
    expect(plain).toBe(12);
    same(lineOf(result, 'TLS 1.2 over plain'), 12 / tls);
    same(lineOf(result, 'hybrid over plain'), 12 / hybrid);
  },
  S12: ({ result, table }) => {
    const { rows } = table('Coefficients of variation');
    const pooled = rows.filter(([name]) => name === 'All three in the study');
    expect(pooled.map((row) => row[3] ?? row[4])).toEqual(result.lines.map(({ value }) => value));
  },
  S13: ({ result, table }) => {
    const { columns, rows } = table('Memory and stationarity of the first run');
    const at = (head: string) => columns.findIndex((one) => one.head === head);
    const study = rows.filter(
      ([name, what]) =>
        /^(Plain|TLS 1.2, RSA|ECDH \+ AES-128-CBC)/.test(String(name)) &&
        String(what).startsWith('Current, emitter'),
    );
    const significant = (head: string) =>
      study.filter((row) => String(row[at(head)]).includes('<') || numberIn(row[at(head)]) < 0.05).length;
    expect(lineOf(result, 'Ljung-Box')).toBe(significant('p'));
    expect(lineOf(result, 'Dickey-Fuller')).toBe(significant('ADF p'));
  },
};

describe('claims, pages and boards', () => {
  it.each(all.map((one) => [one.study.id, one.world, one] as const))(
    'of %s have the same figures, %s',
    (_id, _world, { study, board, parts }) => {
      for (const result of board.claims) {
        const { id, part: partId, answer, sentence, lines } = result;
        const claim = study.claims.find((one) => one.id === id);
        const part = study.parts.find((one) => one.id === partId);
        const doc = parts.find(({ input }) => input.origin.partId === partId);
        if (!claim || !part || !doc) throw new Error(`${id} has no part`);
        const shown = lines.filter(({ side }) => side !== 'missing');
        // The sentence names each of a few comparisons, or counts many by side.
        if (shown.length > 0 && answer !== 'open' && shown.length <= 3) {
          for (const { figure } of shown) expect(sentence, id).toContain(figure);
        }
        const sides = shown.filter(({ side }) => side === 'claimed').length;
        if (shown.length > 3 && claim.test.kind !== 'count')
          expect(sentence).toContain(`${sides} of ${shown.length}`);
        let checked = 0;
        for (const contrast of contrastsIn(claim.test)) {
          checked += checkContrast({ part, see: claim.see, id }, contrast, doc);
        }
        const isShown = contrastsIn(claim.test).length > 0 && shown.length > 0 && !special[id];
        if (isShown) expect(checked, id).toBeGreaterThan(0);
        if (answer === 'open' || answer === 'not testable' || lines.length === 0) continue;
        const table = (title: string, index = 0) => {
          const found = tablesOf(doc.blocks, title)[index];
          if (!found) throw new Error(`${id}: there is no ${title}`);
          return found;
        };
        const isJudgedByFunction = claim.test.kind === 'lines' || claim.test.kind === 'count';
        if (isJudgedByFunction && claim.see.length > 0) expect(Object.keys(special)).toContain(id);
        special[id]?.({ result, input: doc.input, table });
      }
    },
  );

  it.each(drawn.map((one) => [one.study.id, one.world, one] as const))(
    'of %s are the same in report, page and API, %s',
    (_id, _world, { study, board, parts }) => {
      expect(claimBoardSchema.parse(JSON.parse(JSON.stringify(board)))).toEqual(board);
      const ofParts = parts.flatMap(({ input }) => judgePart(input.origin, input));
      const own = board.claims.filter(({ id }) => ofParts.some((one) => one.id === id));
      expect(own).toEqual(study.claims.flatMap(({ id }) => ofParts.filter((one) => one.id === id)));
    },
  );

  it.each(studies.map((study) => [study.id, study] as const))(
    'of %s print what the text prints',
    (id, study) => {
      const known = new Set(findPublished({ study: id }).map(({ value }) => value));
      for (const { says, line } of study.claims) {
        // Without text in brackets (our criterion) and without versions.
        const words = says.replace(/\([^)]*\)|TLS 1\.[23]|\b3\.1(\.1)?\b|\b5\.0\b/g, '');
        const text = publishedLines[id]?.[line] ?? '';
        for (const figure of words.match(/\d+\.\d+/g) ?? []) {
          expect(known.has(Number(figure)) || text.includes(figure), `${figure} in: ${says}`).toBe(true);
        }
      }
      for (const { parts } of all.filter((one) => one.study === study)) {
        for (const { blocks } of parts) {
          for (const block of blocks) {
            if (block.kind !== 'table' && block.kind !== 'figure') continue;
            const { columns, rows } = block.table;
            columns.forEach(({ head }, index) => {
              if (!/^published$|, published$/i.test(head) || /over plain|TLS adds/.test(head)) return;
              for (const row of rows) {
                const cell = row[index];
                if (typeof cell === 'number') expect([...known], `${block.id}: ${head}`).toContain(cell);
              }
            });
          }
        }
      }
    },
  );
});

describe('boards from generated runs', () => {
  const answers = (world: World) =>
    Object.fromEntries(
      all
        .filter((one) => one.world === world)
        .flatMap(({ board }) => board.claims.map(({ id, answer }) => [id, answer] as const)),
    );
  const never = new Set(
    studies.flatMap(({ claims }) =>
      claims.flatMap(({ id, test }) => (test.kind === 'not testable' ? [id] : [])),
    ),
  );
  const testable = studies.flatMap(({ claims }) => claims.flatMap(({ id }) => (never.has(id) ? [] : [id])));

  it('agree with every claim if the runs are as claimed', () => {
    const found = answers('as claimed');
    expect(Object.fromEntries(testable.map((id) => [id, found[id]]))).toEqual(
      Object.fromEntries(testable.map((id) => [id, 'agrees'])),
    );
    for (const id of never) expect(found[id]).toBe('not testable');
  });

  it('differ from every claim if the runs are the opposite', () => {
    const found = answers('opposite');
    expect(Object.fromEntries(testable.map((id) => [id, found[id]]))).toEqual(
      Object.fromEntries(testable.map((id) => [id, 'differs'])),
    );
  });

  it('leave claims of every kind open under noise', () => {
    const found = answers('noise');
    const kinds = new Map(
      studies.flatMap(({ claims }) => claims.map(({ id, test }) => [id, test.kind] as const)),
    );
    const open = new Set(testable.filter((id) => found[id] === 'open').map((id) => kinds.get(id)));
    expect([...open].sort()).toEqual(['contrast', 'count', 'every', 'lines', 'some']);
  });

  it('report claims that a single-machine testbed cannot test', () => {
    const results = studies.flatMap(
      (study) =>
        makeBoard(study, (partId) => {
          const testbed = study.id === 'stability-aware' ? makeStabilityTestbed() : makeTestbed();
          return inputOf(study.id, partId, 'as claimed', { testbed });
        }).claims,
    );
    const without = results.filter(({ answer }) => answer === 'not testable').map(({ id }) => id);
    expect(without).toEqual(expect.arrayContaining(['V6', 'S6', 'C4', 'C5', ...never]));
    for (const { answer, sentence } of results)
      if (answer === 'not testable') expect(sentence).toMatch(/\w.*\.$/);
  });
});
