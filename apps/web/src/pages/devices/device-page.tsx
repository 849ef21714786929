import { Anchor } from '@mantine/core';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import type { ReactElement } from 'react';
import { useParams } from 'react-router';
import { Loaded } from '../../api/loaded.tsx';
import { useApi } from '../../api/use-api.ts';
import { formatDateTime, useNow } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { BlockSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { DeviceFacts, DeviceOffers, ProbeFacts } from './device-facts.tsx';
import styles from './device-page.module.css';
import { EnergyPanel } from './energy-panel.tsx';
import { useInstallation, useKnownDevices, useTestbedName } from './remote/device-queries.ts';
import { describeRemote } from './remote/device-state.ts';
import { DeviceWork, SessionWarning } from './remote/device-work.tsx';
import { DeviceButtons } from './remote-devices-panel.tsx';

const above = [{ label: 'Devices', to: '/devices' }];

/** A device page: hardware, capabilities and the last installation, upgrade or removal. */
export function DevicePage(): ReactElement {
  const { id = '' } = useParams();
  const devices = useKnownDevices();
  const device = devices.data?.items.find((one) => one.id === id);
  if (device) return <Device device={device} />;
  return (
    <Page title={id} breadcrumbs={above}>
      <Loaded query={devices} skeleton={<BlockSkeleton heightPx={360} />}>
        {() => (
          <EmptyState
            sentence={`There is no device ${id}. It was removed or never added. See the list of devices.`}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Device({ device }: { device: KnownDevice }): ReactElement {
  const { id, name, capabilities, ssh } = device;
  const { kind, word, where } = describeRemote(device, useTestbedName(device.testbedId));
  return (
    <Page
      title={name}
      breadcrumbs={above}
      badge={<StatusBadge kind={kind}>{word}</StatusBadge>}
      subtitle={ssh ? where : 'on the server’s own machine'}
    >
      <SessionWarning device={device} />
      <SetAsidePanel device={device} />
      <div className={styles.columns}>
        <Panel title="Hardware" padded>
          {capabilities ? (
            <DeviceFacts capabilities={capabilities} />
          ) : (
            <p className={styles.nothing}>
              Its agent has not connected yet. These facts were detected during installation.
            </p>
          )}
          {ssh?.probe && <ProbeFacts probe={ssh.probe} announced={capabilities} />}
        </Panel>
        <div className={styles.column}>
          {ssh && <Work device={device} />}
          {capabilities && <EnergyPanel key={id} device={device} sources={capabilities.energy} />}
          {capabilities && <Offers device={device} capabilities={capabilities} />}
        </div>
      </div>
    </Page>
  );
}

/** Facts of the device next to those of the other devices in its testbed. */
function Offers({
  device,
  capabilities,
}: {
  device: KnownDevice;
  capabilities: NonNullable<KnownDevice['capabilities']>;
}): ReactElement {
  const testbeds = useApi('GET /testbeds');
  const { id, name, role, online, testbedId } = device;
  const own = testbeds.data?.items.find((testbed) => testbed.testbedId === testbedId)?.devices ?? [];
  const peers = own.filter(({ deviceId }) => deviceId !== id);
  return (
    <Panel title="TLS" padded>
      <DeviceOffers device={{ deviceId: id, name, role, online, capabilities }} peers={peers} />
    </Panel>
  );
}

function Work({ device }: { device: KnownDevice }): ReactElement {
  const installation = useInstallation(device.id);
  const nowMs = useNow();
  const kinds = { install: 'Installation', upgrade: 'Upgrade', remove: 'Removal' } as const;
  const last = installation.data;
  return (
    <Panel
      title="Agent"
      subtitle={last ? `${kinds[last.kind]}, ${formatDateTime(last.startedAt, nowMs)}` : undefined}
      padded
      actions={<DeviceButtons device={device} isWorking={last?.status === 'running'} />}
    >
      {last && <DeviceWork device={device} installation={last} />}
    </Panel>
  );
}

type SetAsidePanelProps = { device: Pick<KnownDevice, 'id' | 'name' | 'online' | 'setAside'> };

/** Results that the server refused, with reasons and downloads. Hidden if there are none. */
export function SetAsidePanel({ device }: SetAsidePanelProps): ReactElement | null {
  const { id, name, online, setAside } = device;
  const nowMs = useNow();
  if (setAside.length === 0) return null;
  return (
    <Panel title="Refused results" subtitle={`${setAside.length} set aside`} padded>
      <p className={styles.words}>
        This server could not store them. They are kept on {name} and are not sent again; runs continue as
        usual.
        {!online && ' They can be saved once the device is online.'}
      </p>
      <ul className={styles.results}>
        {setAside.toReversed().map((result) => (
          <li key={result.name}>
            {online ? (
              <Anchor href={`/api/v1/devices/${encodeURIComponent(id)}/set-aside/${result.name}`} download>
                Save {result.key}
              </Anchor>
            ) : (
              <b>{result.key}</b>
            )}{' '}
            ({formatBytes(result.bytes)}, {formatDateTime(result.refusedAt, nowMs)}): {result.reason}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
