import {
  type Protection,
  type ProtectionLevel,
  protectionLabels,
} from '@mqttlab/shared/catalogue/protection';
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
import { type ProtectionRow, protectionKinds } from './protection-rows.ts';
import styles from './protection-table.module.css';

type ProtectionTableProps = { rows: readonly ProtectionRow[]; onToggle: (value: FactorValue) => void };

const headIcons: Readonly<Record<keyof Protection, Icon>> = {
  confidentiality: IconEyeOff,
  integrity: IconShieldCheck,
  replay: IconRepeatOff,
  peerAuthentication: IconFingerprint,
  forwardSecrecy: IconHistory,
};

/** Each level with what it protects between client and broker. */
export function ProtectionTable({ rows, onToggle }: ProtectionTableProps): ReactElement {
  return (
    <table className={styles.table} aria-label="What each level protects">
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
            <th scope="row">
              <LevelChipView chip={chip} onPick={onToggle} />
            </th>
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
      {protection.level === 'partly' ? protection.detail : protection.level}
    </span>
  );
}
