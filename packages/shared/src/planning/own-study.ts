import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { StudyFile, StudyFilePart } from '../domain/plans/study-file.ts';
import {
  byScale,
  type PartPlan,
  type Study,
  type StudyNeed,
  type StudyPart,
  type StudyScale,
} from './study.ts';

/** Limits for the smaller scales: repetitions, and ms of warm-up and measure phase. */
const limits = {
  smoke: { repetitions: 1, warmUpMs: 300, measureMs: 1500 },
  bench: { repetitions: 3, warmUpMs: 1000, measureMs: 5000 },
} as const;

/** Makes a study from a custom study's file; it is listed and run like the built-in studies. */
export function makeOwnStudy(file: StudyFile): Study {
  return {
    id: file.id,
    title: file.title,
    question: file.question,
    citation: file.source,
    publishedTestbed: file.testbed,
    publishedAes: file.parts[0]?.reference?.aes ?? null,
    needs: linkNeeds(file),
    parts: file.parts.map(makePart),
  };
}

function makePart(part: StudyFilePart): StudyPart {
  const { repetitions, workload } = part.plan;
  const left = (scale: 'smoke' | 'bench') =>
    `At most ${limits[scale].repetitions} ${limits[scale].repetitions === 1 ? 'repetition' : 'repetitions'} of ${limits[scale].measureMs / 1000} s; saved with ${repetitions} of ${workload.measureMs / 1000} s.`;
  return {
    id: part.id,
    title: part.title,
    question: part.question,
    gaps: [],
    notes: { smoke: left('smoke'), bench: left('bench'), full: `As saved. ${part.notes}`.trim() },
    plan: (testbed, scale) => planOf(part, testbed, scale),
    own: { response: part.plan.response, reference: part.reference },
  };
}

function planOf({ plan }: StudyFilePart, testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  const { repetitions, workload, factors } = plan;
  const least = (what: 'repetitions' | 'warmUpMs' | 'measureMs', saved: number) =>
    at(Math.min(saved, limits.smoke[what]), Math.min(saved, limits.bench[what]), saved);
  const { link, ...others } = factors;
  const links = (link ?? []).filter((name) => hasLink(testbed, name));
  return {
    ...plan,
    // The link names are from another testbed. If this testbed has none of them, its default link is used.
    factors: links.length > 0 ? { ...others, link: links } : others,
    workload: {
      ...workload,
      warmUpMs: least('warmUpMs', workload.warmUpMs),
      measureMs: least('measureMs', workload.measureMs),
    },
    repetitions: least('repetitions', repetitions),
    stopping: scale === 'full' ? plan.stopping : null,
  };
}

function hasLink(testbed: TestbedView, name: string | number): boolean {
  return testbed.links.some((link) => link.name === name);
}

function linkNeeds({ parts }: StudyFile): StudyNeed[] {
  const names = new Set(parts.flatMap(({ plan }) => plan.factors.link ?? []));
  return [...names].map((name) => ({
    label: `Link ${name}`,
    refuse: (testbed) =>
      hasLink(testbed, name)
        ? null
        : {
            reason:
              'the testbed has no link with this name; if none of the requested links exists, its default link is used',
            remedy: 'Give a link this name on the Devices page.',
          },
  }));
}
