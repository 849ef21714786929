import {
  type Protection,
  type ProtectionLevel,
  protectionLabels,
} from '@mqttlab/shared/catalogue/ciphers/protection';
import type { FactorValue } from '@mqttlab/shared/domain/factor';
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
import { LevelChipView } from './level-chip-view.tsx';
import { type ProtectionView, protectionKinds } from './protection-rows.ts';
import styles from './protection-table.module.css';

type ProtectionTableProps = {
  view: ProtectionView;
  /** Makes the names of the levels the choice itself. */
  onToggle?: (value: FactorValue) => void;
};

const headIcons: Readonly<Record<keyof Protection, Icon>> = {
  confidentiality: IconEyeOff,
  integrity: IconShieldCheck,
  replay: IconRepeatOff,
  peerAuthentication: IconFingerprint,
  forwardSecrecy: IconHistory,
};

/** Each level with what it protects, and between whom. */
export function ProtectionTable({ view, onToggle }: ProtectionTableProps): ReactElement {
  const { rows, scope } = view;
  return (
    <table className={styles.table} data-static={onToggle === undefined || undefined}>
      <caption>
        What {onToggle ? 'each level' : 'the chosen levels'} protect{onToggle ? 's' : ''} {scope}.
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
