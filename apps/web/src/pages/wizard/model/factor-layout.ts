import { factors } from '@mqttlab/shared/catalogue/factors';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorGroup, Levels } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';

const factorGroups: readonly { id: FactorGroup; label: string }[] = [
  { id: 'security', label: 'Security' },
  { id: 'payload', label: 'Payload' },
  { id: 'message', label: 'Message' },
  { id: 'load', label: 'Load' },
  { id: 'network', label: 'Network' },
  { id: 'system', label: 'Programs' },
];

export interface GroupLayout {
  id: FactorGroup;
  label: string;
  /** With a row of their own: varied, or opened. */
  open: FactorDefinition[];
  /** One level each, as chips under the rows. */
  held: FactorDefinition[];
  /** For experts, held at their defaults and out of sight. */
  hidden: FactorDefinition[];
  /** Held, but without effect: the other levels or the workload leave nothing to choose. */
  idle: FactorDefinition[];
}

type Draft = Pick<ExperimentDraft, 'factors'>;

interface LayoutRequest {
  draft: Draft;
  view: TestbedView;
  /** Every combination that is asked for. */
  cells: readonly { levels: Levels }[];
  opened: ReadonlySet<string>;
  showsExpert: boolean;
}

export function isVaried(factor: FactorDefinition, draft: Draft, view: TestbedView): boolean {
  return chosenLevels(draft, factor, view).length > 1;
}

/** Something else than its default was chosen. */
function isUsed(factor: FactorDefinition, draft: Draft, view: TestbedView): boolean {
  const levels = chosenLevels(draft, factor, view);
  return levels.length > 1 || levels[0] !== factor.defaultLevel(view);
}

/**
 * Every factor in its group. One keeps its row once it was opened, so that taking out its second level does not make
 * it jump away; one for experts is in sight when asked for or when the draft uses it.
 */
export function layOutFactors({ draft, view, cells, opened, showsExpert }: LayoutRequest): GroupLayout[] {
  const hasEffect = (factor: FactorDefinition) =>
    cells.length === 0 || cells.some(({ levels }) => (levels[factor.id] ?? null) !== null);
  const placeOf = (factor: FactorDefinition): 'open' | 'held' | 'hidden' | 'idle' => {
    if (opened.has(factor.id) || isVaried(factor, draft, view)) return 'open';
    if (factor.audience === 'expert' && !showsExpert && !isUsed(factor, draft, view)) return 'hidden';
    return hasEffect(factor) ? 'held' : 'idle';
  };
  return factorGroups
    .map((group) => {
      const own = factors.filter((factor) => factor.group === group.id);
      const at = (place: ReturnType<typeof placeOf>) => own.filter((factor) => placeOf(factor) === place);
      return { ...group, open: at('open'), held: at('held'), hidden: at('hidden'), idle: at('idle') };
    })
    .filter((group) => group.open.length + group.held.length + group.hidden.length + group.idle.length > 0);
}

/** For the words of the review: what is held constant and has an effect, those for experts too. */
export function heldFactors(request: Pick<LayoutRequest, 'draft' | 'view' | 'cells'>): FactorDefinition[] {
  const groups = layOutFactors({ ...request, opened: new Set(), showsExpert: true });
  const held = new Set(groups.flatMap((group) => group.held));
  return factors.filter((factor) => held.has(factor));
}

/** What stands open at first: what is varied, and the security that everyone's draft itself names. */
export function initiallyOpen(draft: Draft, view: TestbedView): Set<string> {
  return new Set(
    factors
      .filter(
        (factor) =>
          isVaried(factor, draft, view) ||
          (factor.group === 'security' &&
            factor.audience === 'everyone' &&
            draft.factors[factor.id] !== undefined),
      )
      .map((factor) => factor.id),
  );
}

/** "3 varied, 5 held": beside the name of a group. */
export function describeGroup({ open, held }: GroupLayout, draft: Draft, view: TestbedView): string {
  const varied = open.filter((factor) => isVaried(factor, draft, view)).length;
  const constant = open.length - varied + held.length;
  return [
    ...(varied > 0 ? [`${varied} varied`] : []),
    ...(constant > 0 ? [`${constant} held constant`] : []),
  ].join(', ');
}
