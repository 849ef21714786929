import { protectionsOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { type Protection, protectionLabels } from '@mqttlab/shared/catalogue/ciphers/protection';
import { flagName } from '@mqttlab/shared/catalogue/flags';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { Verdict } from '@mqttlab/shared/domain/runs/verdict';
import { IconAlertTriangle, IconShield, IconShieldHalf, IconShieldOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { STATUS_KINDS, type StatusKind } from '../../../ui/status.tsx';
import styles from './panels.module.css';

const kinds: Readonly<Record<Verdict['status'], StatusKind>> = {
  passed: 'passed',
  failed: 'flagged',
  'not applicable': 'notApplicable',
};

/** All validity checks of the run with their evidence, failed checks first. */
export function VerdictsPanel({ run }: { run: RunDetail }): ReactElement {
  const failed = run.verdicts.filter((verdict) => verdict.status === 'failed');
  const others = run.verdicts.filter((verdict) => verdict.status !== 'failed');
  return (
    <Panel title="Verdicts" subtitle={describeVerdicts(run.verdicts)} flush>
      {run.verdicts.length === 0 ? (
        <EmptyState sentence="A run is checked when every device has reported." />
      ) : (
        <ul className={styles.list}>
          {[...failed, ...others].map((verdict) => (
            <VerdictItem key={verdict.id} verdict={verdict} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function VerdictItem({ verdict }: { verdict: Verdict }): ReactElement {
  const { tone, icon: VerdictIcon, word } = STATUS_KINDS[kinds[verdict.status]];
  return (
    <li data-tone={tone}>
      <VerdictIcon size={16} stroke={2} aria-label={verdict.status === 'failed' ? 'Failed' : word} />
      <b>{verdict.status === 'failed' ? flagName(verdict) : verdict.label}</b>
      <span>{verdict.evidence}</span>
    </li>
  );
}

/** Returns "1 failed, 4 passed, 1 does not apply". */
export function describeVerdicts(verdicts: readonly Verdict[]): string {
  const count = (status: Verdict['status']) => verdicts.filter((verdict) => verdict.status === status).length;
  const failed = count('failed');
  const idle = count('not applicable');
  return [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(verdicts.length > 0 ? [`${count('passed')} passed`] : []),
    ...(idle > 0 ? [`${idle} ${idle === 1 ? 'does' : 'do'} not apply`] : []),
  ].join(', ');
}

const icons = { yes: IconShield, partly: IconShieldHalf, no: IconShieldOff } as const;

/** Protection in this configuration: hop by hop with TLS, end to end with the payload cipher. */
export function ProtectionPanel({ spec }: { spec: TrialSpec }): ReactElement {
  const { hop, endToEnd, caution } = protectionsOf(spec);
  return (
    <Panel title="Protection" subtitle={endToEnd ? '' : 'between client and broker'} flush>
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
    <ul className={styles.protectionList}>
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
