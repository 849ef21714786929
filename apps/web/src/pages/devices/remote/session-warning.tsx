import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { KnownDevice } from '../../../api/client.ts';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import styles from './remote.module.css';
import { RepinDialog } from './repin-dialog.tsx';

/** Why the server keeps away from a device, and how that ends; nothing where it does not. */
export function SessionWarning({ device }: { device: KnownDevice }): ReactElement | null {
  const [open, setOpen] = useState<'keys' | 'login' | null>(null);
  const session = device.ssh?.session;
  const close = (): void => setOpen(null);
  if (session !== 'host-key-changed' && session !== 'refused') return null;
  return (
    <div className={styles.warning} role="alert">
      {session === 'host-key-changed' ? (
        <>
          <p>
            <b>The host key of {device.name} has changed.</b> Everything is stopped: the server sends nothing
            to {device.ssh?.host} until the new key is confirmed. If its system was not installed anew,
            somebody may be between you and it.
          </p>
          <div>
            <Button size="xs" onClick={() => setOpen('keys')}>
              Compare the keys
            </Button>
          </div>
        </>
      ) : (
        <>
          <p>
            <b>{device.name} does not accept the server’s key any more.</b> {device.ssh?.trouble} After a new
            installation of its system, log in with the password once more.
          </p>
          <div>
            <Button size="xs" onClick={() => setOpen('login')}>
              Log in anew
            </Button>
          </div>
        </>
      )}
      <RepinDialog opened={open === 'keys'} device={device} onClose={close} />
      <AddDeviceDialog opened={open === 'login'} device={device} onClose={close} />
    </div>
  );
}
