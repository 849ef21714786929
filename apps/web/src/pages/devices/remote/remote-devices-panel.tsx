import { Button } from '@mantine/core';
import { IconFileImport, IconPlus, IconServer2 } from '@tabler/icons-react';
import { type ReactElement, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Panel } from '../../../ui/panel.tsx';
import { AddDeviceDialog } from './add-device-dialog.tsx';
import { useAddedDevices } from './device-calls.ts';
import { ImportInventoryDialog } from './import/import-inventory-dialog.tsx';
import { inventoryInHash } from './import/read-inventory.ts';
import styles from './remote.module.css';
import { RemoteDevice } from './remote-device.tsx';
import { TestbedDialog } from './testbed-dialog.tsx';

/** Machines that were added over SSH, and what can be done with them. */
export function RemoteDevicesPanel(): ReactElement {
  const [open, setOpen] = useState<'device' | 'testbed' | 'import' | null>(null);
  const [inventory, setInventory] = useState('');
  const remote = useAddedDevices();
  const close = (): void => setOpen(null);
  const { hash } = useLocation();
  const navigate = useNavigate();
  const linked = inventoryInHash(hash);
  useEffect(() => {
    if (linked === null) return;
    setInventory(linked);
    setOpen('import');
    // It holds passwords: out of the address, and out of the history, at once.
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
            variant="default"
            size="xs"
            leftSection={<IconFileImport size={14} stroke={2} aria-hidden />}
            onClick={() => {
              setInventory('');
              setOpen('import');
            }}
          >
            Import an inventory
          </Button>
          <Button
            size="xs"
            leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
            onClick={() => setOpen('device')}
          >
            Add a device
          </Button>
        </span>
      }
    >
      {remote.length === 0 ? (
        <div className={styles.none}>
          <p>
            Raspberry Pis and other Linux machines join by their address: the server installs its agent over
            SSH. Three of them make a testbed of their own. Without any, <code>sudo npm run lab</code> starts
            three virtual ones and prints a link that adds them here.
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
