import type { FactorDefinition, FactorValue } from '@mqttlab/shared/domain/factor';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';
import { useWizard } from '../wizard-context.tsx';
import { addLevel, chipsOf, type LevelChip, setLevels, toggleLevel } from './level-choice.ts';
import { parseLevel } from './parse-level.ts';

export interface Levels {
  chips: LevelChip[];
  /** The last level of a factor cannot be taken out. */
  toggle: (value: FactorValue) => void;
  /** One level instead of all others. */
  choose: (value: FactorValue) => void;
  parse: (text: string) => ReturnType<typeof parseLevel>;
  add: (value: FactorValue) => void;
  set: (values: readonly FactorValue[]) => void;
}

/** Reads and writes the levels of one factor of the draft. */
export function useLevels(factor: FactorDefinition): Levels {
  const { draft, edit, planning } = useWizard();
  const { view } = planning;
  const chips = chipsOf(factor, draft, view);
  const chosen = chosenLevels(draft, factor, view);
  const set = (levels: readonly FactorValue[]) =>
    edit({ factors: setLevels(draft.factors, factor.id, levels) });
  return {
    chips,
    toggle: (value) => {
      const next = toggleLevel(chips, value);
      if (next) set(next);
    },
    choose: (value) => set([value]),
    parse: (text) => parseLevel({ text, factor, chosen, view }),
    add: (value) => set(addLevel(factor, chosen, value)),
    set,
  };
}
