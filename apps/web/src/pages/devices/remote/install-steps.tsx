import { Button } from '@mantine/core';
import type { Installation, InstallStep } from '@mqttlab/shared/messages/devices';
import { type ReactElement, useState } from 'react';
import { showProblem } from '../../../api/show-problem.tsx';
import { useCall } from '../../../api/use-call.ts';
import { formatDuration } from '../../../ui/format.ts';
import { type StatusKind, StatusLine } from '../../../ui/status.tsx';
import { deviceChanges } from './device-queries.ts';
import { SudoField } from './login-fields.tsx';
import styles from './remote.module.css';

const kinds: Readonly<Record<InstallStep['status'], StatusKind>> = {
  waiting: 'planned',
  running: 'preparing',
  done: 'done',
  failed: 'failed',
};

/** All steps of an installation, upgrade or removal, with their results. */
export function InstallSteps({ installation }: { installation: Installation }): ReactElement {
  const { steps, failure, deviceId } = installation;
  return (
    <>
      <ol className={styles.steps} aria-label={`Steps on ${deviceId}`} aria-live="polite">
        {steps.map(({ id, label, status, detail, durationMs }) => (
          <li key={id}>
            <StatusLine kind={kinds[status]}>{label}</StatusLine>
            <span className={styles.detail}>{detail}</span>
            <span className={styles.time}>{durationMs === null ? '' : formatDuration(durationMs)}</span>
          </li>
        ))}
      </ol>
      {failure && (
        <div className={styles.failure} role="alert">
          <p>{failure.message}</p>
          <p>{failure.remedy}</p>
        </div>
      )}
    </>
  );
}

/** Continues stopped work, with a sudo password if required. Hidden if continuing cannot help. */
export function GoOn({ installation }: { installation: Installation }): ReactElement | null {
  const { deviceId, kind } = installation;
  const [sudoPassword, setSudoPassword] = useState('');
  const upgrade = useCall('POST /devices/{id}/upgrade', deviceChanges);
  const remove = useCall('DELETE /devices/{id}', deviceChanges);
  const next = nextStepOf(installation);
  const wantsPassword = next === 'sudo password';
  if (!wantsPassword && next !== 'again') return null;
  const goOn = (): void => {
    const args = { params: { id: deviceId }, body: sudoPassword === '' ? {} : { sudoPassword } };
    const onError = (error: unknown): void => showProblem(`Nothing was done on ${deviceId}`, error);
    // The server's key is installed by now, so an installation continues as an upgrade.
    if (kind === 'remove') remove.mutate(args, { onError });
    else upgrade.mutate(args, { onError });
    setSudoPassword('');
  };
  return (
    <form
      className={styles.next}
      onSubmit={(event) => {
        event.preventDefault();
        goOn();
      }}
    >
      {wantsPassword && <SudoField value={sudoPassword} onChange={setSudoPassword} />}
      <Button
        type="submit"
        loading={upgrade.isPending || remove.isPending}
        disabled={wantsPassword && sudoPassword === ''}
      >
        Continue
      </Button>
    </form>
  );
}

/** A way to continue unfinished work on a device. */
type NextStep = 'sudo password' | 'log in' | 'compare keys' | 'again';

const loginCodes: ReadonlySet<string> = new Set(['key-refused', 'password-refused', 'key-unreadable']);

/** Returns null while the work is running, and if nothing is left to do. */
export function nextStepOf({ status, failure, steps }: Installation): NextStep | null {
  if (status === 'running' || status === 'done') return null;
  if (failure?.field === 'sudoPassword') return 'sudo password';
  if (failure?.code === 'host-key-changed') return 'compare keys';
  const cameIn = steps.some(({ id, status: step }) => id === 'login' && step === 'done');
  if ((failure && loginCodes.has(failure.code)) || (status === 'interrupted' && !cameIn)) return 'log in';
  return 'again';
}
