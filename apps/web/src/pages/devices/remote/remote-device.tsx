import { Button } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import type { KnownDevice } from '../../../api/client.ts';
import { showProblem } from '../../../api/show-problem.tsx';
import { IconButton } from '../../../ui/input/icon-button.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import { describeRemote } from './describe-remote.ts';
import { useDrainDevice, useInstallation, useUpgradeDevice } from './device-calls.ts';
import { DeviceWork } from './device-work.tsx';
import styles from './remote.module.css';
import { RemoveDialog } from './remove-dialog.tsx';
import { SessionWarning } from './session-warning.tsx';
import { useTestbedName } from './use-testbed-name.ts';

/** One added device in the list: its state, and its work while there is some. */
export function RemoteDevice({ device }: { device: KnownDevice }): ReactElement {
  const installation = useInstallation(device.id);
  const { kind, word, where } = describeRemote(device, useTestbedName(device.testbedId));
  const { status } = installation.data ?? {};
  return (
    <li>
      <span className={styles.name}>
        <Link className="link" to={`/devices/${device.id}`}>
          <b>{device.name}</b>
        </Link>
        <StatusLine kind={kind}>{word}</StatusLine>
      </span>
      <span className={styles.detail}>{where}</span>
      <DeviceButtons device={device} isWorking={status === 'running'} />
      <div className={styles.work}>
        <SessionWarning device={device} />
        {installation.data && status !== 'done' && (
          <DeviceWork device={device} installation={installation.data} />
        )}
      </div>
    </li>
  );
}

type DeviceButtonsProps = { device: KnownDevice; isWorking: boolean };

export function DeviceButtons({ device, isWorking }: DeviceButtonsProps): ReactElement {
  const [isRemoving, setRemoving] = useState(false);
  const upgrade = useUpgradeDevice(device.id);
  const drain = useDrainDevice(device.id);
  const onError = (error: unknown): void => showProblem(`Nothing was done on ${device.name}`, error);
  return (
    <span className={styles.rowActions}>
      <Button
        variant="subtle"
        size="xs"
        aria-label={
          device.ssh?.draining
            ? `Give ${device.name} runs again`
            : `Drain ${device.name}: it gets no new runs`
        }
        onClick={() => drain.mutate(!device.ssh?.draining, { onError })}
      >
        {device.ssh?.draining ? 'Give it runs again' : 'Drain'}
      </Button>
      <IconButton
        icon={IconRefresh}
        label={`Bring ${device.name} up to date`}
        disabled={isWorking}
        onClick={() => upgrade.mutate({}, { onError })}
      />
      <IconButton
        icon={IconTrash}
        label={`Remove the agent from ${device.name}`}
        disabled={isWorking}
        onClick={() => setRemoving(true)}
      />
      <RemoveDialog opened={isRemoving} device={device} onClose={() => setRemoving(false)} />
    </span>
  );
}
