import { Button, Checkbox } from '@mantine/core';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { ImportDevices, Inventory, InventoryDevice } from '@mqttlab/shared/messages/inventory';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { DialogForm } from '../../../ui/dialog.tsx';
import { type StatusKind, StatusLine } from '../../../ui/status.tsx';
import { type SeenKey, useHostKeys } from '../remote/device-calls.ts';
import styles from '../remote/remote.module.css';

type InventoryKeysProps = {
  inventory: Inventory;
  error: ApiError | null;
  isPending: boolean;
  onBack: () => void;
  onConfirm: (wish: ImportDevices) => void;
};

/** Every device with the host key that it shows; one click then does the rest. */
export function InventoryKeys(props: InventoryKeysProps): ReactElement {
  const { inventory, error, isPending, onBack, onConfirm } = props;
  const { devices, testbed } = inventory;
  const [wasCompared, setCompared] = useState(false);
  const keys = useHostKeys(devices);
  const rows = devices.map((device, index) => {
    const key = keys[index] ?? { data: undefined, error: null, refetch: () => undefined };
    return { device, key, verdict: judgeKey(device, key) };
  });
  const toCompare = rows.some(({ verdict }) => verdict === 'to compare');
  const silent = rows.filter(({ verdict }) => verdict === 'silent');
  const isReady = rows.every(({ verdict }) => verdict === 'as named' || verdict === 'to compare');
  return (
    <DialogForm
      buttons={
        <>
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          {silent.length > 0 && (
            <Button
              variant="default"
              onClick={() => {
                for (const { key } of silent) key.refetch();
              }}
            >
              Ask again
            </Button>
          )}
          <Button
            loading={isPending}
            disabled={!isReady || (toCompare && !wasCompared)}
            onClick={() => onConfirm(makeImport(inventory, keys))}
          >
            Install on {devices.length === 1 ? 'this device' : `these ${devices.length} devices`}
          </Button>
        </>
      }
    >
      <ul className={styles.keys} aria-label="Devices of the inventory">
        {rows.map(({ device, key, verdict }) => (
          <li key={device.name}>
            <span className={styles.name}>
              <b>{device.name}</b>
              <span className="second">
                {device.user}@{device.address}
                {device.port === 22 ? '' : `:${device.port}`}
              </span>
            </span>
            <span className={styles.name}>
              <StatusLine kind={verdictLooks[verdict].kind}>{verdictLooks[verdict].word}</StatusLine>
              {key.data && (
                <span className={styles.fingerprint}>
                  {key.data.algorithm} {key.data.fingerprint}
                </span>
              )}
              {key.error && (
                <span className={styles.detail}>
                  {key.error.problem.detail} {key.error.problem.remedy}
                </span>
              )}
              {verdict === 'another' && (
                <span className={styles.detail} role="alert">
                  {key.data?.changedFor.length
                    ? `${key.data.changedFor.join(', ')} had another key at this address: confirm the new one on its page first, if its system was reinstalled.`
                    : `The inventory names ${device.fingerprint}. This may be an attack (man in the middle); nothing is sent.`}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className={styles.words}>
        {testbed === undefined
          ? 'No testbed is created: the inventory names none.'
          : `The testbed “${testbed}” is created from them at the end.`}
      </p>
      {toCompare && (
        <Checkbox
          label="These are the keys that the devices themselves show (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub)"
          checked={wasCompared}
          onChange={(event) => setCompared(event.currentTarget.checked)}
        />
      )}
      {error && <ApiErrorState error={error} lost="Nothing was sent to the devices." />}
    </DialogForm>
  );
}

type KeyVerdict = 'looking' | 'as named' | 'to compare' | 'another' | 'silent';

/** What the key that a device shows says about it. */
function judgeKey(
  { fingerprint }: InventoryDevice,
  { data, error }: Pick<SeenKey, 'data' | 'error'>,
): KeyVerdict {
  if (error !== null) return 'silent';
  if (data === undefined) return 'looking';
  if (data.changedFor.length > 0) return 'another';
  if (fingerprint === undefined) return 'to compare';
  return fingerprint === data.fingerprint ? 'as named' : 'another';
}

const verdictLooks: Readonly<Record<KeyVerdict, { kind: StatusKind; word: string }>> = {
  looking: { kind: 'preparing', word: 'Fetching its host key' },
  'as named': { kind: 'passed', word: 'Host key as in the inventory' },
  'to compare': { kind: 'warning', word: 'Compare its host key' },
  another: { kind: 'failed', word: 'ANOTHER HOST KEY than expected' },
  silent: { kind: 'unreachable', word: 'Does not answer' },
};

/** What is sent once every key is known. */
function makeImport({ testbed, devices }: Inventory, keys: readonly SeenKey[]): ImportDevices {
  return {
    ...(testbed === undefined ? {} : { testbed }),
    devices: devices.map(({ name, address: host, port, user, password, links }, index) => ({
      name,
      host,
      port,
      user,
      links,
      fingerprint: keys[index]?.data?.fingerprint ?? '',
      login:
        password === undefined ? { kind: 'server-key' as const } : { kind: 'password' as const, password },
    })),
  };
}
