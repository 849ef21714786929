import { Button } from '@mantine/core';
import { IconPlus, IconRefresh, IconServer2, IconTrash } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import type { KnownDevice } from '../../api/client.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import { describeRemote } from './describe-remote.ts';
import {
  useAddedDevices,
  useDrainDevice,
  useInstallation,
  useRemoveDevice,
  useUpgradeDevice,
} from './device-calls.ts';
import { InstallSteps } from './install-steps.tsx';
import styles from './remote.module.css';
import { TestbedDialog } from './testbed-dialog.tsx';

/** Machines that were added over SSH, and what can be done with them. */
export function RemoteDevicesPanel(): ReactElement {
  const [open, setOpen] = useState<'device' | 'testbed' | null>(null);
  const remote = useAddedDevices();
  const close = (): void => setOpen(null);
  return (
    <Panel
      flush
      title="Added devices"
      subtitle={remote.length === 0 ? undefined : remote.length}
      actions={
        <>
          {remote.length >= 3 && (
            <Button
              variant="default"
              size="xs"
              leftSection={<IconServer2 size={14} stroke={2} aria-hidden />}
              onClick={() => setOpen('testbed')}
            >
              Make a testbed
            </Button>
          )}
          <Button
            size="xs"
            leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
            onClick={() => setOpen('device')}
          >
            Add a device
          </Button>
        </>
      }
    >
      {remote.length === 0 ? (
        <div className={styles.none}>
          <p>
            Raspberry Pis and other Linux machines join by their address: the server installs its agent over
            SSH. Three of them make a testbed of their own.
          </p>
        </div>
      ) : (
        <ul className={styles.list}>
          {remote.map((device) => (
            <RemoteDevice key={device.id} device={device} />
          ))}
        </ul>
      )}
      <AddDeviceDialog opened={open === 'device'} onClose={close} />
      <TestbedDialog opened={open === 'testbed'} onClose={close} devices={remote} />
    </Panel>
  );
}

function RemoteDevice({ device }: { device: KnownDevice }): ReactElement {
  const installation = useInstallation(device.id);
  const upgrade = useUpgradeDevice(device.id);
  const remove = useRemoveDevice(device.id);
  const drain = useDrainDevice(device.id);
  const { kind, word, where } = describeRemote(device);
  const isWorking = installation.data?.status === 'running';
  const showsSteps = isWorking || installation.data?.status === 'failed';
  const after = {
    onSuccess: () => void installation.refetch(),
    onError: (error: unknown) => showProblem(`Nothing was done on ${device.name}`, error),
  };
  return (
    <li>
      <span className={styles.name}>
        <b>{device.name}</b>
        <StatusLine kind={kind}>{word}</StatusLine>
      </span>
      <span className={styles.detail}>{where}</span>
      <span>
        <Button
          variant="subtle"
          size="xs"
          onClick={() => drain.mutate(!device.ssh?.draining, { onError: after.onError })}
        >
          {device.ssh?.draining ? 'Give it runs again' : 'Drain'}
        </Button>
        <IconButton
          icon={IconRefresh}
          label={`Bring ${device.name} up to date`}
          disabled={isWorking}
          onClick={() => upgrade.mutate({}, after)}
        />
        <IconButton
          icon={IconTrash}
          label={`Remove the agent from ${device.name}`}
          disabled={isWorking}
          onClick={() => remove.mutate({}, after)}
        />
        {!isWorking && installation.data?.status === 'failed' && (
          <Button variant="subtle" size="xs" onClick={() => remove.mutate({ forget: true }, after)}>
            Only forget it here
          </Button>
        )}
      </span>
      {showsSteps && installation.data && (
        <div style={{ gridColumn: '1 / -1' }}>
          <InstallSteps installation={installation.data} />
        </div>
      )}
    </li>
  );
}
