import { Button } from '@mantine/core';
import type { Installation } from '@mqttlab/shared/protocol/devices';
import { type ReactElement, useState } from 'react';
import type { KnownDevice } from '../../api/client.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import { useRemoveDevice, useUpgradeDevice } from './device-calls.ts';
import { InstallSteps } from './install-steps.tsx';
import { nextStepOf } from './next-step.ts';
import styles from './remote.module.css';
import { SudoField } from './remove-dialog.tsx';
import { RepinDialog } from './repin-dialog.tsx';

type DeviceWorkProps = { device: KnownDevice; installation: Installation };

/** The steps of what was done last, and how to go on where it stopped half-way. */
export function DeviceWork({ device, installation }: DeviceWorkProps): ReactElement {
  return (
    <div className={styles.work}>
      <InstallSteps installation={installation} />
      <GoOn device={device} installation={installation} />
    </div>
  );
}

function GoOn({ device, installation }: DeviceWorkProps): ReactElement | null {
  const [sudoPassword, setSudoPassword] = useState('');
  const [open, setOpen] = useState<'keys' | 'login' | null>(null);
  const upgrade = useUpgradeDevice(device.id);
  const remove = useRemoveDevice(device.id);
  const next = nextStepOf(installation);
  if (next === null) return null;
  const close = (): void => setOpen(null);
  const isRemoval = installation.kind === 'remove';
  const again = (): void => {
    const body = sudoPassword === '' ? {} : { sudoPassword };
    const onError = (error: unknown): void => showProblem(`Nothing was done on ${device.name}`, error);
    // The server's key opens the device by now, so that an installation goes on as an upgrade does.
    if (isRemoval) remove.mutate(body, { onError });
    else upgrade.mutate(body, { onError });
    setSudoPassword('');
  };
  return (
    <form
      className={styles.next}
      onSubmit={(event) => {
        event.preventDefault();
        again();
      }}
    >
      {next === 'sudo password' && <SudoField value={sudoPassword} onChange={setSudoPassword} />}
      {next === 'compare keys' && <Button onClick={() => setOpen('keys')}>Compare the keys</Button>}
      {next === 'log in' && !isRemoval && <Button onClick={() => setOpen('login')}>Log in anew</Button>}
      {(next === 'again' || next === 'sudo password' || (next === 'log in' && isRemoval)) && (
        <Button
          type="submit"
          loading={upgrade.isPending || remove.isPending}
          disabled={next === 'sudo password' && sudoPassword === ''}
        >
          Go on
        </Button>
      )}
      <RepinDialog opened={open === 'keys'} device={device} onClose={close} />
      <AddDeviceDialog opened={open === 'login'} device={device} onClose={close} />
    </form>
  );
}
