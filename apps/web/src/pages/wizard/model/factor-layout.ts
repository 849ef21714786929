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
  /** Factors with a separate row, which are varied or were opened. */
  open: FactorDefinition[];
  /** Factors with one level, shown as chips below the rows. */
  held: FactorDefinition[];
  /** Hidden expert factors, which have their defaults. */
  hidden: FactorDefinition[];
  /** Factors without effect, because the other levels or the workload leave no choice. */
  idle: FactorDefinition[];
}

type Draft = Pick<ExperimentDraft, 'factors'>;

interface LayoutRequest {
  draft: Draft;
  view: TestbedView;
  /** All requested combinations. */
  cells: readonly { levels: Levels }[];
  opened: ReadonlySet<string>;
  showsExpert: boolean;
}

export function isVaried(factor: FactorDefinition, draft: Draft, view: TestbedView): boolean {
  return chosenLevels(draft, factor, view).length > 1;
}

/** Returns true if the draft sets the factor to something other than its default. */
function isUsed(factor: FactorDefinition, draft: Draft, view: TestbedView): boolean {
  const levels = chosenLevels(draft, factor, view);
  return levels.length > 1 || levels[0] !== factor.defaultLevel(view);
}

/**
 * Arranges factors in groups. An opened factor keeps its row, so that removing its second level does not make
 * it jump. Expert factors are shown on request or if the draft uses them.
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

/** Returns the constant factors with an effect, including expert factors, for the review. */
export function heldFactors(request: Pick<LayoutRequest, 'draft' | 'view' | 'cells'>): FactorDefinition[] {
  const groups = layOutFactors({ ...request, opened: new Set(), showsExpert: true });
  const held = new Set(groups.flatMap((group) => group.held));
  return factors.filter((factor) => held.has(factor));
}

/** Returns the initially open factors: varied factors, and security if the draft sets it. */
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

/** Returns "3 varied, 5 held constant", shown next to the name of a group. */
export function describeGroup({ open, held }: GroupLayout, draft: Draft, view: TestbedView): string {
  const varied = open.filter((factor) => isVaried(factor, draft, view)).length;
  const constant = open.length - varied + held.length;
  return [
    ...(varied > 0 ? [`${varied} varied`] : []),
    ...(constant > 0 ? [`${constant} held constant`] : []),
  ].join(', ');
}
