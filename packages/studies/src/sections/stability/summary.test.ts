import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { printPalette } from '@mqttlab/shared/figures/drawing/palette';
import { toSvgText } from '@mqttlab/shared/figures/drawing/svg';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeStudyDraft } from '@mqttlab/shared/planning/study';
import { expect, it } from 'vitest';
import { stabilityAware } from '../../stability-aware/study.ts';
import { makeStabilityReport, makeStabilityTestbed } from '../../testing/stability-report.ts';
import { makeStudyDocument } from '../make-study-document.ts';

const origin = { studyId: 'stability-aware', partId: 'a', scale: 'full' } as const;

function treatmentsOf(): ComparedTreatment[] {
  const testbed = makeStabilityTestbed();
  const [part] = stabilityAware.parts;
  const choice = part && { study: stabilityAware, part, scale: 'full' as const };
  const parsed = parsePlan(choice && makeStudyDraft(choice, makeTestbedView(testbed)), testbed);
  if (!parsed.ok) throw new Error('the draft is no plan');
  const box = { messages: 1000, p5: 1, p25: 2, p50: 3, p75: 4, p95: 6, mean: 3.2 };
  return parsed.plan.treatments.map((treatment, index) => ({
    id: `1~${treatment.key}`,
    experimentId: 1,
    treatment,
    latency: box,
    latencyWithFlagged: box,
    runs: [1, 2, 3].map((block) => ({
      runId: index * 3 + block,
      block,
      flagged: false,
      bases: {},
      metrics: {
        'latency.mean': 20 + index + ((block * (index + 2)) % 5) / 50,
        'energy.publisher': 30 + index + ((block * (index + 3)) % 4) / 50,
        'power.publisher': 0.5,
      },
    })),
  }));
}

it('draws every figure and table of the study from its report', () => {
  const blocks = makeStudyDocument({
    study: stabilityAware,
    origin,
    treatments: treatmentsOf(),
    flagged: false,
    palette: printPalette,
    facts: { cpuModel: 'Test CPU', cpuFeatures: ['aes'], broker: 'Mosquitto 2.0.11' },
    report: makeStabilityReport('full', 6000),
  });
  const figures = blocks.flatMap((block) => (block.kind === 'figure' ? [block] : []));
  expect(figures.map(({ title }) => title)).toEqual([
    'Overhead over plain, published and measured',
    'Message latency',
    'Repeatability of the emitter’s current',
    'Current, emitter: autocorrelation and partial autocorrelation',
    'Current, emitter: bootstrap distribution of the difference from plain',
    'Emitter’s current over time',
    'Relative overhead of the emitter’s cumulative energy over time',
    'Cumulative energy',
    'Effect sizes against plain',
    'Map of effect sizes',
    'Sensitivity of the energy to the duration of the handshake',
    'Sensitivity of the energy to the steady load',
    'Pareto front of mean latency and cumulative energy',
  ]);
  for (const { picture, table } of figures) {
    expect(toSvgText(picture)).not.toMatch(/NaN|undefined|Infinity/);
    expect(table.rows.length).toBeGreaterThan(0);
  }
  const captions = blocks.flatMap((block) => (block.kind === 'table' ? [block.caption] : []));
  for (const words of [
    'protects',
    'location, spread',
    'memory and stationarity',
    'cross-correlation',
    'block bootstrap',
    'Set-up of the connection',
    'deep sleep',
    'idle current',
  ]) {
    expect(
      captions.some((caption) => caption.includes(words)),
      words,
    ).toBe(true);
  }
  const words = blocks.flatMap((block) => ('text' in block ? [block.text] : [])).join(' ');
  const items = blocks.flatMap((block) => (block.kind === 'list' ? block.items : [])).join(' ');
  expect(items).toContain('exceeds that of plain: holds');
  expect(items).toContain('strictly between plain and TLS 1.2: holds');
  expect(items).toContain('holds: Plain and the hybrid are better in both');
  expect(words).toContain('latency of plain is a broker round trip there');
  const tableOf = (caption: string) => {
    const found = blocks.find((block) => block.kind === 'table' && block.caption.includes(caption));
    return found?.kind === 'table' ? found.table.rows : [];
  };
  // All fourteen of Table 4; the series of latency is not in this report.
  const variations = tableOf('as Table 4').map(([quantity, name, published]) => [quantity, name, published]);
  expect(variations.filter(([, , published]) => published !== null)).toHaveLength(12);
  expect(variations).toContainEqual(['Mean current, receiver', 'ECDH + AES-128-CBC, no MAC', 1.1]);
  expect(tableOf('by minute')[0]).toHaveLength(11);
  expect(tableOf('evaluated anew')).toHaveLength(10);
  expect(tableOf('TLS against payload encryption')).toHaveLength(12);
  expect(words).toContain('10 samples a second were averaged to one, as published');
  expect(words).not.toContain('being worked out');
});
