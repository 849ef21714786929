import { protectionsOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import {
  type Protection,
  type ProtectionLevel,
  protectionLabels,
} from '@mqttlab/shared/catalogue/ciphers/protection';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorGroup, FactorValue } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeTreatments } from '@mqttlab/shared/planning/make-treatments';
import {
  type Icon,
  IconCheck,
  IconCircleHalf2,
  IconEyeOff,
  IconFingerprint,
  IconHistory,
  IconMinus,
  IconRepeatOff,
  IconShieldCheck,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { LevelChip } from '../model/level-choice.ts';
import { LevelChipView } from './level-chips.tsx';
import styles from './protection-table.module.css';

interface ProtectionRow {
  chip: LevelChip;
  protection: Protection;
}

interface ProtectionView {
  rows: ProtectionRow[];
  /**
   * True if the table contains all levels, so that its rows are selectable; false if it contains only the
   * selected levels.
   */
  isWhole: boolean;
  /** "between client and broker" */
  scope: string;
}

const protectionKinds = Object.keys(protectionLabels) as (keyof Protection)[];

/** Maximum number of rows; a factor with more levels is shown as chips. */
const maxRows = 6;

const no = { level: 'no' } as const;
const nothing: Protection = {
  confidentiality: no,
  integrity: no,
  replay: no,
  peerAuthentication: no,
  forwardSecrecy: no,
};

interface Scope {
  words: string;
  of: (spec: TrialSpec) => Protection;
}

/** Factor groups that determine protection, with the scope of the protection. */
const scopes: Readonly<Partial<Record<FactorGroup, Scope>>> = {
  security: { words: 'between each client and the broker', of: (spec) => protectionsOf(spec).hop },
  payload: {
    words: 'from publisher to subscriber, payloads only: the broker still reads topics',
    of: (spec) => protectionsOf(spec).endToEnd ?? nothing,
  },
};

/**
 * Returns the protection of each level if the levels of the factor determine it; null for other factors.
 * Considers only the level itself, so the value is "partly" if another factor determines the rest.
 */
export function protectionView(
  factor: FactorDefinition,
  chips: readonly LevelChip[],
  { draft, view }: { draft: ExperimentDraft; view: TestbedView },
): ProtectionView | null {
  const scope = scopes[factor.group];
  if (!scope) return null;
  const rows = chips.flatMap((chip): ProtectionRow[] => {
    const cell = { key: '', levels: { [factor.id]: chip.value }, refusals: [] };
    const spec = makeTreatments([cell], draft, view)[0]?.spec;
    return spec ? [{ chip, protection: scope.of(spec) }] : [];
  });
  const differ = new Set(rows.map((row) => JSON.stringify(row.protection))).size > 1;
  if (!differ) return null;
  const isWhole = rows.length <= maxRows;
  return { rows: isWhole ? rows : rows.filter((row) => row.chip.isChosen), isWhole, scope: scope.words };
}

type ProtectionTableProps = {
  view: ProtectionView;
  /** Makes the level names selectable. */
  onToggle?: (value: FactorValue) => void;
};

const headIcons: Readonly<Record<keyof Protection, Icon>> = {
  confidentiality: IconEyeOff,
  integrity: IconShieldCheck,
  replay: IconRepeatOff,
  peerAuthentication: IconFingerprint,
  forwardSecrecy: IconHistory,
};

/** Protection of each level, with its scope. */
export function ProtectionTable({ view, onToggle }: ProtectionTableProps): ReactElement {
  const { rows, scope } = view;
  return (
    <table className={styles.table} data-static={onToggle === undefined || undefined}>
      <caption>
        Protection by {onToggle ? 'each level' : 'the selected levels'} {scope}.
      </caption>
      <thead>
        <tr>
          <th scope="col">Level</th>
          {protectionKinds.map((kind) => {
            const HeadIcon = headIcons[kind];
            return (
              <th key={kind} scope="col">
                <span className={styles.head}>
                  <HeadIcon size={14} stroke={2} aria-hidden />
                  {protectionLabels[kind]}
                </span>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ chip, protection }) => (
          <tr key={String(chip.value)}>
            <th scope="row">{onToggle ? <LevelChipView chip={chip} onPick={onToggle} /> : chip.label}</th>
            {protectionKinds.map((kind) => (
              <td key={kind} data-head={protectionLabels[kind]}>
                <ProtectionMark protection={protection[kind]} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const marks = { yes: IconCheck, no: IconMinus, partly: IconCircleHalf2 } as const;

function ProtectionMark({ protection }: { protection: ProtectionLevel }): ReactElement {
  const Mark = marks[protection.level];
  return (
    <span className={styles.mark} data-level={protection.level}>
      <Mark size={14} stroke={2} aria-hidden />
      {protection.detail ?? protection.level}
      {protection.level === 'yes' && protection.detail && `, ${protection.detail}`}
    </span>
  );
}
