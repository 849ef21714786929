import { Button } from '@mantine/core';
import type { Installation } from '@mqttlab/shared/messages/devices';
import { type ReactElement, useState } from 'react';
import { showProblem } from '../../../api/show-problem.tsx';
import { useRemoveDevice, useUpgradeDevice } from './device-calls.ts';
import { nextStepOf } from './next-step.ts';
import styles from './remote.module.css';
import { SudoField } from './remove-dialog.tsx';

/** Takes work up where it stopped, with the password that sudo asks for; nothing where that is not what it needs. */
export function GoOn({ installation }: { installation: Installation }): ReactElement | null {
  const { deviceId, kind } = installation;
  const [sudoPassword, setSudoPassword] = useState('');
  const upgrade = useUpgradeDevice(deviceId);
  const remove = useRemoveDevice(deviceId);
  const next = nextStepOf(installation);
  const wantsPassword = next === 'sudo password';
  if (!wantsPassword && next !== 'again') return null;
  const goOn = (): void => {
    const body = sudoPassword === '' ? {} : { sudoPassword };
    const onError = (error: unknown): void => showProblem(`Nothing was done on ${deviceId}`, error);
    // The server's key opens the device by now, so that an installation goes on as an upgrade does.
    if (kind === 'remove') remove.mutate(body, { onError });
    else upgrade.mutate(body, { onError });
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
        Go on
      </Button>
    </form>
  );
}
