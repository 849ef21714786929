import { protectionsOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { type Protection, protectionLabels } from '@mqttlab/shared/catalogue/ciphers/protection';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { IconAlertTriangle, IconShield, IconShieldHalf, IconShieldOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import styles from './protection-panel.module.css';

const icons = { yes: IconShield, partly: IconShieldHalf, no: IconShieldOff } as const;

/** What this configuration protects: hop by hop through TLS, and from end to end through the payload cipher. */
export function ProtectionPanel({ spec }: { spec: TrialSpec }): ReactElement {
  const { hop, endToEnd, caution } = protectionsOf(spec);
  return (
    <Panel title="Protects" subtitle={endToEnd ? '' : 'between client and broker'} flush>
      {endToEnd && <p className={styles.scope}>Between client and broker</p>}
      <ProtectionList protection={hop} />
      {endToEnd && (
        <>
          <p className={styles.scope}>From publisher to subscriber, payloads only</p>
          <ProtectionList protection={endToEnd} />
        </>
      )}
      {caution && (
        <p className={styles.caution}>
          <IconAlertTriangle size={14} stroke={2} aria-label="Insecure" />
          <span>{caution}</span>
        </p>
      )}
    </Panel>
  );
}

function ProtectionList({ protection }: { protection: Protection }): ReactElement {
  return (
    <ul className={styles.list}>
      {(Object.keys(protectionLabels) as (keyof Protection)[]).map((key) => {
        const item = protection[key];
        const ItemIcon = icons[item.level];
        return (
          <li key={key} data-level={item.level}>
            <ItemIcon size={16} stroke={2} aria-hidden />
            <span>{protectionLabels[key]}</span>
            <b>{[item.level, item.detail].filter(Boolean).join(', ')}</b>
          </li>
        );
      })}
    </ul>
  );
}
