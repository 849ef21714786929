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

/** The steps of the last work, and how to continue if it stopped. */
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

/** Why the server keeps away from a device, and how that ends; nothing where it does not. */
export function SessionWarning({ device }: { device: KnownDevice }): ReactElement | null {
  const { session, host, trouble } = device.ssh ?? {};
  if (session !== 'host-key-changed' && session !== 'refused') return null;
  return (
    <div className={styles.warning} role="alert">
      {session === 'host-key-changed' ? (
        <p>
          <b>The host key of {device.name} has changed.</b> Everything is stopped: nothing is sent to {host}{' '}
          until the new key is confirmed. If its system was not reinstalled, this may be a man-in-the-middle
          attack.
        </p>
      ) : (
        <p>
          <b>{device.name} does not accept the server’s key any more.</b> {trouble} After a new installation
          of its system, log in with the password once more.
        </p>
      )}
      <WayBack device={device} way={session === 'refused' ? 'log in' : 'compare keys'} isSmall />
    </div>
  );
}

type WayBackProps = { device: KnownDevice; way: 'compare keys' | 'log in'; isSmall?: boolean };

/** The button that opens what brings a device back. */
function WayBack({ device, way, isSmall = false }: WayBackProps): ReactElement {
  const [opened, setOpened] = useState(false);
  const dialog = { device, opened, onClose: () => setOpened(false) };
  return (
    <>
      <div>
        <Button size={isSmall ? 'xs' : 'sm'} onClick={() => setOpened(true)}>
          {way === 'log in' ? 'Log in again' : 'Compare the keys'}
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

/** The pinned host key beside the one that is shown now, to be compared before it is trusted. */
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
        <dt>Shown now</dt>
        <dd className={styles.fingerprint}>
          {data ? `${data.fingerprint} (${data.algorithm})` : isPending ? 'asking …' : 'not known'}
        </dd>
      </dl>
      {error && <ApiErrorState error={error} onRetry={() => look({ body: { host, port } })} />}
      {isSame && <p className={styles.words}>They are the same: there is nothing to confirm.</p>}
      {data && !isSame && (
        <>
          <p className={styles.words}>
            A device gets another key when its system is reinstalled. Otherwise this may be a
            man-in-the-middle attack: do not trust it, and nothing is sent. Its own key is printed on it by{' '}
            <code>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code>.
          </p>
          <Checkbox
            label="I have compared it: the device itself shows this key"
            checked={wasCompared}
            onChange={(event) => setCompared(event.currentTarget.checked)}
          />
        </>
      )}
      {repin.error && <ApiErrorState error={repin.error} lost="The pinned key stays." />}
    </DialogForm>
  );
}
