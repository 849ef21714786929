import type { WorkloadKind } from '@mqttlab/shared/domain/plans/trial-spec';
import {
  type Icon,
  IconActivity,
  IconArrowsExchange,
  IconLock,
  IconShieldX,
  IconStairsUp,
  IconWaveSquare,
} from '@tabler/icons-react';
import { type ReactElement, useId } from 'react';
import styles from './kind-cards.module.css';
import { kindLooks } from './workload-kinds.ts';

const icons: Readonly<Record<WorkloadKind, Icon>> = {
  stream: IconActivity,
  burst: IconWaveSquare,
  reconnect: IconArrowsExchange,
  handshake: IconLock,
  states: IconStairsUp,
  availability: IconShieldX,
};

type KindCardsProps = { value: WorkloadKind; onChange: (kind: WorkloadKind) => void };

/** What a run does: one of six, each with a sentence; native radio buttons, so arrow keys work. */
export function KindCards({ value, onChange }: KindCardsProps): ReactElement {
  const name = useId();
  return (
    <fieldset className={styles.cards}>
      <legend className="visually-hidden">Kind of workload</legend>
      {kindLooks.map(({ kind, label, sentence }) => {
        const KindIcon = icons[kind];
        return (
          <label key={kind} className={styles.card}>
            <input
              type="radio"
              name={name}
              value={kind}
              checked={kind === value}
              onChange={() => onChange(kind)}
            />
            <span className={styles.name}>
              <KindIcon size={16} stroke={2} aria-hidden />
              {label}
            </span>
            <span className={styles.sentence}>{sentence}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
