import { type Protection, protectionLabels, protectionOf } from '@mqttlab/shared/catalogue/protection';
import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import { IconShield, IconShieldHalf, IconShieldOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Panel } from '../ui/panel.tsx';
import styles from './protection-panel.module.css';

const icons = { yes: IconShield, partly: IconShieldHalf, no: IconShieldOff } as const;
const words = { yes: 'yes', partly: 'partly', no: 'no' } as const;

/** What this configuration protects between a client and the broker. */
export function ProtectionPanel({ spec }: { spec: TrialSpec }): ReactElement {
  const protection = protectionOf(spec);
  return (
    <Panel title="Protects" subtitle="between client and broker" flush>
      <ul className={styles.list}>
        {(Object.keys(protectionLabels) as (keyof Protection)[]).map((key) => {
          const item = protection[key];
          const ItemIcon = icons[item.level];
          return (
            <li key={key} data-level={item.level}>
              <ItemIcon size={16} stroke={2} aria-hidden />
              <span>{protectionLabels[key]}</span>
              <b>
                {words[item.level]}
                {item.level === 'partly' && `, ${item.detail}`}
              </b>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
