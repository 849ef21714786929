import { Button } from '@mantine/core';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import { IconFileImport, IconPlus, IconRefresh, IconServer2, IconTrash } from '@tabler/icons-react';
import { type ReactElement, useEffect, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { useCall } from '../../api/use-call.ts';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { DangerButton, IconButton } from '../../ui/input/buttons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { ImportInventoryDialog, inventoryInHash } from './import/import-inventory-dialog.tsx';
import { AddDeviceDialog } from './remote/add-device-dialog.tsx';
import { deviceChanges, useInstallation, useKnownDevices, useTestbedName } from './remote/device-queries.ts';
import { describeRemote } from './remote/device-state.ts';
import { DeviceWork, SessionWarning } from './remote/device-work.tsx';
import { SudoField } from './remote/login-fields.tsx';
import styles from './remote/remote.module.css';
import { TestbedDialog } from './remote/testbed-dialog.tsx';

/** Devices added over SSH, with their actions. */
export function RemoteDevicesPanel(): ReactElement {
  const [open, setOpen] = useState<'device' | 'testbed' | 'import' | null>(null);
  const [inventory, setInventory] = useState('');
  const remote = (useKnownDevices().data?.items ?? []).filter(({ ssh }) => ssh !== null);
  const close = (): void => setOpen(null);
  const { hash } = useLocation();
  const navigate = useNavigate();
  const linked = inventoryInHash(hash);
  useEffect(() => {
    if (linked === null) return;
    setInventory(linked);
    setOpen('import');
    // The inventory contains passwords, so remove it from the address and the history immediately.
    void navigate({ hash: '' }, { replace: true });
  }, [linked, navigate]);
  return (
    <Panel
      flush
      title="Added devices"
      subtitle={remote.length === 0 ? undefined : remote.length}
      actions={
        <span className={styles.rowActions}>
          {remote.length >= 3 && (
            <ActionButton small icon={IconServer2} onClick={() => setOpen('testbed')}>
              Create a testbed
            </ActionButton>
          )}
          <ActionButton
            small
            icon={IconFileImport}
            onClick={() => {
              setInventory('');
              setOpen('import');
            }}
          >
            Import an inventory
          </ActionButton>
          <ActionButton small variant="filled" icon={IconPlus} onClick={() => setOpen('device')}>
            Add a device
          </ActionButton>
        </span>
      }
    >
      {remote.length === 0 ? (
        <div className={styles.none}>
          <p>
            Add Raspberry Pis and other Linux machines by their address. The server installs its agent over
            SSH. Three devices make a testbed. If you have none, <code>sudo npm run lab</code> starts three
            virtual devices and prints a link that adds them here.
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
      <ImportInventoryDialog opened={open === 'import'} initialText={inventory} onClose={close} />
      <TestbedDialog opened={open === 'testbed'} onClose={close} devices={remote} />
    </Panel>
  );
}

/** A device in the list, with its status and any installation progress. */
function RemoteDevice({ device }: { device: KnownDevice }): ReactElement {
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
  const upgrade = useCall('POST /devices/{id}/upgrade', deviceChanges);
  const drain = useCall('POST /devices/{id}/drain', deviceChanges);
  const place = { params: { id: device.id } };
  const onError = (error: unknown): void => showProblem(`Nothing was done on ${device.name}`, error);
  return (
    <span className={styles.rowActions}>
      <Button
        variant="subtle"
        size="xs"
        aria-label={
          device.ssh?.draining ? `Resume runs on ${device.name}` : `Drain ${device.name}: no new runs`
        }
        onClick={() => drain.mutate({ ...place, body: { draining: !device.ssh?.draining } }, { onError })}
      >
        {device.ssh?.draining ? 'Resume runs' : 'Drain'}
      </Button>
      <IconButton
        icon={IconRefresh}
        label={`Upgrade ${device.name}`}
        disabled={isWorking}
        onClick={() => upgrade.mutate({ ...place, body: {} }, { onError })}
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

type RemoveDialogProps = { opened: boolean; device: KnownDevice; onClose: () => void };

/** Removes a device with its agent, or only from the list if it is unreachable. */
function RemoveDialog({ opened, device, onClose }: RemoveDialogProps): ReactElement {
  const [sudoPassword, setSudoPassword] = useState('');
  const testbedName = useTestbedName(device.testbedId);
  const remove = useCall('DELETE /devices/{id}', deviceChanges);
  const begin = (body: { forget?: boolean; sudoPassword?: string }): void =>
    remove.mutate({ params: { id: device.id }, body }, { onSuccess: onClose });
  return (
    <Dialog title={`Remove ${device.name}`} size={560} opened={opened} onClose={onClose}>
      <DialogForm
        onSubmit={() => begin(sudoPassword === '' ? {} : { sudoPassword })}
        buttons={
          <>
            <Button
              variant="subtle"
              loading={remove.isPending}
              onClick={() => begin({ forget: true })}
              title="For a device that is no longer reachable. Nothing is uninstalled from it."
            >
              Remove from this list only
            </Button>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <DangerButton type="submit" loading={remove.isPending}>
              Remove and uninstall
            </DangerButton>
          </>
        }
      >
        <p className={styles.words}>
          This removes the agent, its user, its files, this server’s key and any undelivered results from the
          device. Runs stored here are kept.
          {device.testbedId !== '' && ` The testbed ${testbedName} will then have no ${device.role}.`}
        </p>
        <SudoField value={sudoPassword} onChange={setSudoPassword} />
        {remove.error && <ApiErrorState error={remove.error} lost="Nothing was removed." />}
      </DialogForm>
    </Dialog>
  );
}
