import type { ReactElement } from 'react';
import { useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import type { KnownDevice } from '../../api/client.ts';
import { useTestbeds } from '../../api/queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatDateTime } from '../../ui/format/time.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { BlockSkeleton } from '../../ui/skeletons.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { useNow } from '../experiments/use-now.ts';
import { DeviceFacts } from './device-facts.tsx';
import { DeviceOffers } from './device-offers.tsx';
import styles from './device-page.module.css';
import { EnergyPanel } from './energy/energy-panel.tsx';
import { ProbeFacts } from './probe-facts.tsx';
import { describeRemote } from './remote/describe-remote.ts';
import { useInstallation, useKnownDevices } from './remote/device-calls.ts';
import { DeviceWork } from './remote/device-work.tsx';
import { DeviceButtons } from './remote/remote-device.tsx';
import { SessionWarning } from './remote/session-warning.tsx';
import { useTestbedName } from './remote/use-testbed-name.ts';
import { SetAsidePanel } from './set-aside-panel.tsx';

const above = [{ label: 'Devices', to: '/devices' }];

/** Everything about one device: what it is, what it can do, and what was done on it. */
export function DevicePage(): ReactElement {
  const { id = '' } = useParams();
  const devices = useKnownDevices();
  const device = devices.data?.find((one) => one.id === id);
  if (device) return <Device device={device} />;
  return (
    <Page title={id} breadcrumbs={above}>
      {devices.error && !devices.data && (
        <ApiErrorState error={devices.error} onRetry={() => void devices.refetch()} />
      )}
      {devices.isPending && <BlockSkeleton heightPx={360} />}
      {devices.data && (
        <EmptyState
          sentence={`There is no device ${id}. It was removed, or never added; see the list of devices.`}
        />
      )}
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
        <Panel title="What it is" padded>
          {capabilities ? (
            <DeviceFacts capabilities={capabilities} />
          ) : (
            <p className={styles.nothing}>
              Its agent has not connected yet; this is what the installation saw.
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

/** Beside those of the testbed it belongs to. */
function Offers({
  device,
  capabilities,
}: {
  device: KnownDevice;
  capabilities: NonNullable<KnownDevice['capabilities']>;
}): ReactElement {
  const testbeds = useTestbeds();
  const { id, name, role, online, testbedId } = device;
  const own = testbeds.data?.find((testbed) => testbed.testbedId === testbedId)?.devices ?? [];
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
