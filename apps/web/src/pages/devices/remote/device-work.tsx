import { Button } from '@mantine/core';
import type { Installation } from '@mqttlab/shared/messages/devices';
import { type ReactElement, useState } from 'react';
import type { KnownDevice } from '../../../api/client.ts';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import { GoOn } from './go-on.tsx';
import { InstallSteps } from './install-steps.tsx';
import { nextStepOf } from './next-step.ts';
import styles from './remote.module.css';
import { RepinDialog } from './repin-dialog.tsx';

type DeviceWorkProps = { device: KnownDevice; installation: Installation };

/** The steps of what was done last, and how to go on where it stopped half-way. */
export function DeviceWork({ device, installation }: DeviceWorkProps): ReactElement {
  const [open, setOpen] = useState<'keys' | 'login' | null>(null);
  const next = nextStepOf(installation);
  const close = (): void => setOpen(null);
  return (
    <div className={styles.work}>
      <InstallSteps installation={installation} />
      <GoOn installation={installation} />
      {next === 'compare keys' && (
        <div>
          <Button onClick={() => setOpen('keys')}>Compare the keys</Button>
        </div>
      )}
      {next === 'log in' && (
        <div>
          <Button onClick={() => setOpen('login')}>Log in anew</Button>
        </div>
      )}
      <RepinDialog opened={open === 'keys'} device={device} onClose={close} />
      <AddDeviceDialog opened={open === 'login'} device={device} onClose={close} />
    </div>
  );
}
