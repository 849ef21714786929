import { Button } from '@mantine/core';
import type { ImportState } from '@mqttlab/shared/messages/inventory';
import type { ReactElement } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { DialogForm } from '../../../ui/dialog.tsx';
import { type StatusKind, StatusLine } from '../../../ui/status.tsx';
import { useImportState } from '../remote/device-calls.ts';
import { InstallSteps } from '../remote/install-steps.tsx';
import styles from '../remote/remote.module.css';

type ImportProgressProps = { onBack: () => void; onClose: () => void };

const testbedKinds: Readonly<Record<NonNullable<ImportState['testbed']>['status'], StatusKind>> = {
  waiting: 'planned',
  made: 'done',
  failed: 'failed',
};

/** The work on each device, which goes on when nobody looks. */
export function ImportProgress({ onBack, onClose }: ImportProgressProps): ReactElement {
  const { data, error } = useImportState(true);
  return (
    <DialogForm
      buttons={
        <>
          {data?.status === 'failed' && (
            <Button variant="default" onClick={onBack}>
              Back, to try again
            </Button>
          )}
          <Button onClick={onClose}>
            {data?.status === 'done' || data?.status === 'failed' ? 'Close' : 'Continue in the background'}
          </Button>
        </>
      }
    >
      {error && !data && <ApiErrorState error={error} lost="Work on the devices continues." />}
      <ul className={styles.keys} aria-label="Progress on each device" aria-live="polite">
        {data?.devices.map((device) => (
          <DeviceProgress key={device.name} device={device} />
        ))}
        {data?.testbed && (
          <li>
            <span className={styles.name}>
              <b>{data.testbed.name}</b>
              <span className="second">testbed</span>
            </span>
            <span className={styles.name}>
              <StatusLine kind={testbedKinds[data.testbed.status]}>
                {data.testbed.status === 'made' ? 'Made' : undefined}
              </StatusLine>
              <span className={styles.detail}>{data.testbed.detail}</span>
            </span>
          </li>
        )}
      </ul>
    </DialogForm>
  );
}

function DeviceProgress({ device }: { device: ImportState['devices'][number] }): ReactElement {
  const { name, installation, refusal } = device;
  const { kind, words } = progressOf(device);
  return (
    <li>
      <span className={styles.name}>
        <b>{name}</b>
      </span>
      <span className={styles.name}>
        <StatusLine kind={kind}>{words}</StatusLine>
        {refusal && (
          <span className={styles.detail} role="alert">
            {refusal}
          </span>
        )}
        {installation && (
          <details className={styles.more} open={installation.status === 'failed'}>
            <summary>Steps</summary>
            <InstallSteps installation={installation} />
          </details>
        )}
      </span>
    </li>
  );
}

function progressOf({ installation, refusal }: ImportState['devices'][number]): {
  kind: StatusKind;
  words: string;
} {
  if (refusal !== null) return { kind: 'failed', words: 'Refused' };
  if (installation === null) return { kind: 'planned', words: 'Waiting for its turn' };
  const { steps, status } = installation;
  if (status === 'done') return { kind: 'done', words: 'Installed and online' };
  if (status !== 'running') return { kind: 'failed', words: 'Failed' };
  const done = steps.filter((step) => step.status === 'done').length;
  const now = steps.find((step) => step.status === 'running')?.label;
  return { kind: 'preparing', words: `${done} of ${steps.length} steps${now ? `: ${now}` : ''}` };
}
