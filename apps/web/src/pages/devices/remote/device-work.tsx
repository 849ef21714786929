import { Button, Checkbox } from '@mantine/core';
import type { Installation, KnownDevice } from '@mqttlab/shared/messages/devices';
import { type ReactElement, useEffect, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { useCall } from '../../../api/use-call.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import { deviceChanges } from './device-queries.ts';
import { GoOn, InstallSteps, nextStepOf } from './install-steps.tsx';
import styles from './remote.module.css';

type DeviceWorkProps = { device: KnownDevice; installation: Installation };

/** Steps of the last installation, upgrade or removal, and a way to continue if it stopped. */
export function DeviceWork({ device, installation }: DeviceWorkProps): ReactElement {
  const next = nextStepOf(installation);
  return (
    <div className={styles.work}>
      <InstallSteps installation={installation} />
      <GoOn installation={installation} />
      {(next === 'compare keys' || next === 'log in') && <WayBack device={device} way={next} />}
    </div>
  );
}

/** Warns that the server does not connect to a device, with the remedy. Hidden otherwise. */
export function SessionWarning({ device }: { device: KnownDevice }): ReactElement | null {
  const { session, host, trouble } = device.ssh ?? {};
  if (session !== 'host-key-changed' && session !== 'refused') return null;
  return (
    <div className={styles.warning} role="alert">
      {session === 'host-key-changed' ? (
        <p>
          <b>The host key of {device.name} has changed.</b> The connection is blocked: nothing is sent to{' '}
          {host} until the new key is confirmed. If its system was not reinstalled, this may be a
          man-in-the-middle attack.
        </p>
      ) : (
        <p>
          <b>{device.name} no longer accepts the server’s key.</b> {trouble} If its system was reinstalled,
          log in with the password again.
        </p>
      )}
      <WayBack device={device} way={session === 'refused' ? 'log in' : 'compare keys'} isSmall />
    </div>
  );
}

type WayBackProps = { device: KnownDevice; way: 'compare keys' | 'log in'; isSmall?: boolean };

/** Button that opens the dialog to reconnect a device. */
function WayBack({ device, way, isSmall = false }: WayBackProps): ReactElement {
  const [opened, setOpened] = useState(false);
  const dialog = { device, opened, onClose: () => setOpened(false) };
  return (
    <>
      <div>
        <Button size={isSmall ? 'xs' : 'sm'} onClick={() => setOpened(true)}>
          {way === 'log in' ? 'Log in again' : 'Compare keys'}
        </Button>
      </div>
      {way === 'log in' ? (
        <AddDeviceDialog {...dialog} />
      ) : (
        <Dialog title={`Host key of ${device.name}`} size={640} opened={opened} onClose={dialog.onClose}>
          <CompareKeys device={device} onClose={dialog.onClose} />
        </Dialog>
      )}
    </>
  );
}

type CompareKeysProps = { device: KnownDevice; onClose: () => void };

/** The pinned host key next to the current one, for comparison before trusting it. */
function CompareKeys({ device, onClose }: CompareKeysProps): ReactElement {
  const { mutate: look, data, error, isPending } = useCall('POST /devices/host-key');
  const repin = useCall('PUT /devices/{id}/host-key', deviceChanges);
  const [wasCompared, setCompared] = useState(false);
  const { host = '', port = 22, fingerprint = '' } = device.ssh ?? {};
  useEffect(() => look({ body: { host, port } }), [look, host, port]);
  const isSame = data?.fingerprint === fingerprint;
  return (
    <DialogForm
      buttons={
        <>
          <Button variant="default" onClick={onClose}>
            {isSame ? 'Close' : 'Do not trust'}
          </Button>
          {data && !isSame && (
            <Button
              disabled={!wasCompared}
              loading={repin.isPending}
              onClick={() =>
                repin.mutate(
                  { params: { id: device.id }, body: { fingerprint: data.fingerprint } },
                  { onSuccess: onClose },
                )
              }
            >
              Trust the new key
            </Button>
          )}
        </>
      }
    >
      <dl className={styles.compare}>
        <dt>Pinned</dt>
        <dd className={styles.fingerprint}>{fingerprint}</dd>
        <dt>Current</dt>
        <dd className={styles.fingerprint}>
          {data ? `${data.fingerprint} (${data.algorithm})` : isPending ? 'fetching …' : 'unknown'}
        </dd>
      </dl>
      {error && <ApiErrorState error={error} onRetry={() => look({ body: { host, port } })} />}
      {isSame && <p className={styles.words}>Both keys are the same. There is nothing to confirm.</p>}
      {data && !isSame && (
        <>
          <p className={styles.words}>
            A device gets a new key when its system is reinstalled. Otherwise this may be a man-in-the-middle
            attack. Nothing is sent unless you trust the key. To print the key on the device, run{' '}
            <code>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code>.
          </p>
          <Checkbox
            label="I compared the key: it matches the device"
            checked={wasCompared}
            onChange={(event) => setCompared(event.currentTarget.checked)}
          />
        </>
      )}
      {repin.error && <ApiErrorState error={repin.error} lost="The pinned key was not changed." />}
    </DialogForm>
  );
}
