import type { Block } from '@mqttlab/charts/document/blocks';
import { printPalette } from '@mqttlab/charts/drawing/palette';
import { toSvgText } from '@mqttlab/charts/drawing/svg';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeStudyDraft, type StudyOrigin } from '@mqttlab/shared/planning/study';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import type { StudyInput } from '../page/input.ts';
import { findStudy } from '../studies.ts';

const box = { messages: 1000, p5: 1, p25: 2, p50: 3, p75: 4, p95: 6, mean: 3.2 };

type StudyInputChange = Partial<StudyInput> & { scale?: StudyOrigin['scale']; testbed?: TestbedCapabilities };

/** Runs of every treatment of a part, by default at smoke scale. `metricsOf` returns the values of a run. */
export function makeStudyInput(
  origin: Pick<StudyOrigin, 'studyId' | 'partId'>,
  metricsOf: (treatment: ComparedTreatment['treatment'], block: number) => Record<string, number | null>,
  { scale = 'smoke', testbed = makeTestbed(), ...change }: StudyInputChange = {},
): StudyInput {
  const study = findStudy(origin.studyId);
  const part = study?.parts.find(({ id }) => id === origin.partId);
  if (!study || !part) throw new Error('there is no such part');
  const draft = makeStudyDraft({ study, part, scale }, makeTestbedView(testbed));
  const parsed = parsePlan(draft, testbed);
  if (!parsed.ok) throw new Error('the draft is no plan');
  const { plan } = parsed;
  const treatments = plan.treatments.map(
    (treatment, index): ComparedTreatment => ({
      id: `1~${treatment.key}`,
      experimentId: 1,
      treatment,
      runs: [1, 2, 3].map((block) => ({
        runId: index * 3 + block,
        block,
        flagged: false,
        metrics: metricsOf(treatment, block),
        bases: { energy: 'modelled' },
      })),
      latency: box,
      latencyWithFlagged: box,
    }),
  );
  const facts = { cpuModel: 'Test CPU', cpuFeatures: ['aes'], broker: 'Mosquitto 2.0.11' };
  const origins = { ...origin, scale };
  return {
    study,
    origin: origins,
    treatments,
    flagged: false,
    facts,
    palette: printPalette,
    report: null,
    ...change,
  };
}

type Figure = Extract<Block, { kind: 'figure' }>;

export function figuresOf(blocks: readonly Block[]): Figure[] {
  return blocks.filter((block) => block.kind === 'figure');
}

/** Number of bars, boxes and markers of measured values in a picture. Each has a tooltip; published ones have none. */
export function countMarks({ picture }: Figure): number {
  const count = (nodes: readonly unknown[]): number =>
    nodes.reduce<number>((sum, node) => {
      if (typeof node !== 'object' || node === null || !('children' in node)) return sum;
      const children = (node.children ?? []) as readonly unknown[];
      const tip = children.find(isTip);
      const isMeasured = tip !== undefined && !tip.children.join('').startsWith('published');
      return sum + (isMeasured ? 1 : 0) + count(children);
    }, 0);
  return count(picture.nodes);
}

function isTip(node: unknown): node is { children: readonly string[] } {
  return typeof node === 'object' && node !== null && 'tag' in node && node.tag === 'title';
}

export function wordsOf(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => {
      if (block.kind === 'list') return block.items;
      if (block.kind === 'table') return [block.caption, ...block.table.rows.map((row) => row.join(' | '))];
      if (block.kind === 'figure') return [block.title, toSvgText(block.picture)];
      return 'text' in block ? [block.text] : [];
    })
    .join('\n');
}

export function tableOf(blocks: readonly Block[], caption: string) {
  const found = blocks.find((block) => block.kind === 'table' && block.caption.includes(caption));
  if (found?.kind !== 'table') throw new Error(`there is no table ${caption}`);
  return found.table;
}
