import { Button, Checkbox } from '@mantine/core';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { HostKeyAnswer } from '@mqttlab/shared/messages/devices';
import {
  type ImportDevices,
  type ImportState,
  type Inventory,
  type InventoryDevice,
  inventorySchema,
} from '@mqttlab/shared/messages/inventory';
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { call, keyOf } from '../../../api/client.ts';
import { parseDocument } from '../../../api/parse-document.ts';
import { useApi } from '../../../api/use-api.ts';
import { useCall } from '../../../api/use-call.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { ChooseFile } from '../../../ui/input/buttons.tsx';
import { DocumentField } from '../../../ui/input/document-field.tsx';
import { type StatusKind, StatusLine } from '../../../ui/status.tsx';
import { ImportProblem } from '../../experiments/import-plan-dialog.tsx';
import { InstallSteps } from '../remote/install-steps.tsx';
import styles from '../remote/remote.module.css';

type ImportInventoryDialogProps = {
  opened: boolean;
  /** Text from a link; empty if the user enters it. */
  initialText: string;
  onClose: () => void;
};

/** Adds many devices at once, in three steps: inventory text, host keys, and installation on each device. */
export function ImportInventoryDialog(props: ImportInventoryDialogProps): ReactElement {
  const { opened, onClose } = props;
  return (
    <Dialog title="Import an inventory" size={720} opened={opened} onClose={onClose}>
      <ImportInventory {...props} />
    </Dialog>
  );
}

function ImportInventory({ initialText, onClose }: ImportInventoryDialogProps): ReactElement {
  const [text, setText] = useState(initialText);
  const begin = useCall('POST /devices/import');
  const parse = useMutation({ mutationFn: readInventory });
  const { mutate, reset } = parse;
  useEffect(() => {
    if (initialText !== '') mutate(initialText);
  }, [initialText, mutate]);
  if (begin.data) return <ImportProgress onBack={() => begin.reset()} onClose={onClose} />;
  if (parse.data) {
    return (
      <InventoryKeys
        inventory={parse.data}
        error={begin.error}
        isPending={begin.isPending}
        onBack={reset}
        onConfirm={(body) => begin.mutate({ body })}
      />
    );
  }
  return <InventoryText text={text} error={parse.error} onChange={setText} onTake={mutate} />;
}

type InventoryTextProps = {
  text: string;
  error: unknown;
  onChange: (text: string) => void;
  onTake: (text: string) => void;
};

function InventoryText({ text, error, onChange, onTake }: InventoryTextProps): ReactElement {
  const takeFile = async (file: File | null | undefined): Promise<void> => {
    if (file) onChange(await file.text());
  };
  return (
    <DialogForm
      onSubmit={() => onTake(text)}
      buttons={
        <>
          <ChooseFile accept=".json,.yaml,.yml,application/json" onChoose={(file) => void takeFile(file)} />
          <Button type="submit" disabled={text.trim() === ''}>
            Show devices
          </Button>
        </>
      }
    >
      <DocumentField
        label="Inventory, JSON or YAML"
        hint={
          <>
            The output of <code>npm run lab</code>, or your own list. Choose or drop a file, or paste its
            text.
          </>
        }
        placeholder={
          'testbed: Kitchen\ndevices:\n  - name: pi-1\n    address: 192.168.1.5\n    user: pi\n    password: …\n    links:\n      - { name: ethernet, interface: eth0 }\n      - { name: wifi, interface: wlan0 }'
        }
        value={text}
        onChange={onChange}
        onFile={(file) => void takeFile(file)}
      />
      {error !== null && <ImportProblem error={error} />}
    </DialogForm>
  );
}

const hashPrefix = '#inventory=';

/** Parses an inventory in YAML or JSON. Throws an ApiError that names every invalid field. */
export function readInventory(text: string): Promise<Inventory> {
  return parseDocument(text, inventorySchema, {
    title: 'Not an inventory',
    noDocument: 'This is neither YAML nor JSON',
    noDocumentRemedy:
      'Paste the complete output of "npm run -s lab -- show", from the first { to the last }.',
    wrongForm: 'This is not an inventory.',
    wrongFormRemedy: 'Compare it with the output of "npm run -s lab -- show".',
  });
}

/** Decodes the inventory after the # in a link printed by `npm run lab`; null if there is none. */
export function inventoryInHash(hash: string): string | null {
  if (!hash.startsWith(hashPrefix)) return null;
  try {
    const bytes = atob(hash.slice(hashPrefix.length).replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
  } catch {
    return '';
  }
}

type InventoryKeysProps = {
  inventory: Inventory;
  error: ApiError | null;
  isPending: boolean;
  onBack: () => void;
  onConfirm: (request: ImportDevices) => void;
};

type SeenKey = { data: HostKeyAnswer | undefined; error: ApiError | null; refetch: () => void };

/** Requests the current host key of each device, without logging in. */
function useHostKeys(devices: readonly InventoryDevice[]): SeenKey[] {
  return useQueries({
    queries: devices.map(({ address: host, port }) => ({
      queryKey: keyOf('POST /devices/host-key', { body: { host, port } }),
      queryFn: () => call('POST /devices/host-key', { body: { host, port } }),
      retry: false,
      gcTime: 0,
      staleTime: Infinity,
    })),
  }).map(({ data, error, refetch }) => ({
    data,
    error: error as ApiError | null,
    refetch: () => void refetch(),
  }));
}

/** All devices with their current host keys, and the button that starts the installation. */
function InventoryKeys(props: InventoryKeysProps): ReactElement {
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
              Fetch host keys again
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
                    ? `${key.data.changedFor.join(', ')} had a different key at this address. If its system was reinstalled, first confirm the new key on its page.`
                    : `The inventory lists ${device.fingerprint}. This may be a man-in-the-middle attack. Nothing is sent.`}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className={styles.words}>
        {testbed === undefined
          ? 'The inventory has no testbed, so none is created.'
          : `The testbed “${testbed}” will be created from these devices.`}
      </p>
      {toCompare && (
        <Checkbox
          label="These keys match the devices (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub)"
          checked={wasCompared}
          onChange={(event) => setCompared(event.currentTarget.checked)}
        />
      )}
      {error && <ApiErrorState error={error} lost="Nothing was sent to the devices." />}
    </DialogForm>
  );
}

type KeyVerdict = 'looking' | 'as named' | 'to compare' | 'another' | 'silent';

/** Compares the host key of a device with the inventory. */
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
  'as named': { kind: 'passed', word: 'Host key matches the inventory' },
  'to compare': { kind: 'warning', word: 'Compare its host key' },
  another: { kind: 'failed', word: 'HOST KEY DIFFERS from the expected one' },
  silent: { kind: 'unreachable', word: 'Not responding' },
};

/** Returns the request body when every key is known. */
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

const askEveryMs = 500;

type ImportProgressProps = { onBack: () => void; onClose: () => void };

const testbedKinds: Readonly<Record<NonNullable<ImportState['testbed']>['status'], StatusKind>> = {
  waiting: 'planned',
  made: 'done',
  failed: 'failed',
};

/** Progress on each device. The installation continues if the dialog is closed. */
function ImportProgress({ onBack, onClose }: ImportProgressProps): ReactElement {
  const client = useQueryClient();
  const { data, error } = useApi(
    'GET /devices/import',
    {},
    {
      gcTime: 0,
      refetchInterval: ({ state }) => (state.data && state.data.status !== 'running' ? false : askEveryMs),
    },
  );
  const status = data?.status;
  useEffect(() => {
    if (status === undefined || status === 'running') return;
    void client.invalidateQueries({ queryKey: keyOf('GET /testbeds') });
    void client.invalidateQueries({ queryKey: keyOf('GET /devices') });
  }, [status, client]);
  return (
    <DialogForm
      buttons={
        <>
          {data?.status === 'failed' && (
            <Button variant="default" onClick={onBack}>
              Back
            </Button>
          )}
          <Button onClick={onClose}>
            {data?.status === 'done' || data?.status === 'failed' ? 'Close' : 'Continue in the background'}
          </Button>
        </>
      }
    >
      {error && !data && <ApiErrorState error={error} lost="The installation continues." />}
      <ul className={styles.keys} aria-label="Progress on each device" aria-live="polite">
        {data?.devices.map((device) => (
          <DeviceProgress key={device.name} device={device} />
        ))}
        {data?.testbed && (
          <li>
            <span className={styles.name}>
              <b>{data.testbed.name}</b>
              <span className="second">testbed</span>
            </span>
            <span className={styles.name}>
              <StatusLine kind={testbedKinds[data.testbed.status]}>
                {data.testbed.status === 'made' ? 'Created' : undefined}
              </StatusLine>
              <span className={styles.detail}>{data.testbed.detail}</span>
            </span>
          </li>
        )}
      </ul>
    </DialogForm>
  );
}

function DeviceProgress({ device }: { device: ImportState['devices'][number] }): ReactElement {
  const { name, installation, refusal } = device;
  const { kind, words } = progressOf(device);
  return (
    <li>
      <span className={styles.name}>
        <b>{name}</b>
      </span>
      <span className={styles.name}>
        <StatusLine kind={kind}>{words}</StatusLine>
        {refusal && (
          <span className={styles.detail} role="alert">
            {refusal}
          </span>
        )}
        {installation && (
          <details className={styles.more} open={installation.status === 'failed'}>
            <summary>Steps</summary>
            <InstallSteps installation={installation} />
          </details>
        )}
      </span>
    </li>
  );
}

function progressOf({ installation, refusal }: ImportState['devices'][number]): {
  kind: StatusKind;
  words: string;
} {
  if (refusal !== null) return { kind: 'failed', words: 'Refused' };
  if (installation === null) return { kind: 'planned', words: 'Waiting for its turn' };
  const { steps, status } = installation;
  if (status === 'done') return { kind: 'done', words: 'Installed and online' };
  if (status !== 'running') return { kind: 'failed', words: 'Failed' };
  const done = steps.filter((step) => step.status === 'done').length;
  const now = steps.find((step) => step.status === 'running')?.label;
  return { kind: 'preparing', words: `${done} of ${steps.length} steps${now ? `: ${now}` : ''}` };
}
