import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import type { ReactElement } from 'react';
import { FieldRow } from '../../../ui/input/field.tsx';
import { useWizard } from '../wizard-context.tsx';
import { FactorHelp } from './factor-help.tsx';
import { LevelChips } from './level-chips.tsx';
import { protectionView } from './protection-rows.ts';
import { ProtectionTable } from './protection-table.tsx';
import { useLevels } from './use-levels.ts';

/** One factor: its name, how many of its levels are chosen, and the levels. */
export function FactorRow({ factor }: { factor: FactorDefinition }): ReactElement {
  const { draft, planning } = useWizard();
  const levels = useLevels(factor);
  const chosen = levels.chips.filter((chip) => chip.isChosen).length;
  const protects = protectionView(factor, levels.chips, { draft, view: planning.view });
  return (
    <FieldRow
      label={factor.label}
      note={
        <>
          {noteOf(factor, chosen, levels.chips.length)}
          <FactorHelp factor={factor} />
        </>
      }
    >
      {!protects?.isWhole && <LevelChips factor={factor} levels={levels} />}
      {protects && (
        <ProtectionTable view={protects} {...(protects.isWhole ? { onToggle: levels.toggle } : {})} />
      )}
    </FieldRow>
  );
}

function noteOf(factor: FactorDefinition, chosen: number, all: number): string {
  if (chosen === 1) return '1 level, held constant';
  return factor.input.kind === 'number' ? `${chosen} levels` : `${chosen} of ${all} levels`;
}
