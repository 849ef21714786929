import { Button } from '@mantine/core';
import { describeBrokerPorts } from '@mqttlab/shared/domain/devices/broker-ports';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import {
  type Icon,
  IconBroadcast,
  IconCloud,
  IconDeviceDesktopAnalytics,
  IconServer2,
  IconTransform,
} from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import { Loaded } from '../../api/loaded.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { useCall } from '../../api/use-call.ts';
import { experimentCode, formatAgo, formatDateTime, useNow } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { BlockSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StatusBadge, StatusLine } from '../../ui/status.tsx';
import { describeHealth } from './describe-device.ts';
import deviceCardStyles from './device-card.module.css';
import { DeviceFacts, DeviceOffers, DevicesFacts } from './device-facts.tsx';
import styles from './devices-page.module.css';
import { ExternalBrokerPanel } from './external/external-broker-panel.tsx';
import { ExternalDevicePanel } from './external/external-device-panel.tsx';
import { deviceChanges } from './remote/device-queries.ts';
import { lookOf, reasonWords, stateNow } from './remote/device-state.ts';
import { TestbedDialog } from './remote/testbed-dialog.tsx';
import { RemoteDevicesPanel } from './remote-devices-panel.tsx';

/** Interval at which the page requests the health of its devices, in ms. Agents report every few seconds. */
const healthMs = 10_000;

/** All testbeds with the capabilities and status of their devices. */
export function DevicesPage(): ReactElement {
  const testbeds = useApi('GET /testbeds');
  return (
    <Page title="Devices">
      <Loaded query={testbeds} skeleton={<BlockSkeleton heightPx={360} />}>
        {({ items: all }) => (
          <>
            {all.length === 0 && (
              <EmptyState sentence="No testbed yet. The built-in testbed connects when the server starts. Reload the page in a moment." />
            )}
            <RemoteDevicesPanel />
            {all.map((testbed) => (
              <Testbed key={testbed.testbedId} testbed={testbed} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Testbed({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const nowMs = useNow();
  const known = useApi('GET /devices', {}, { refetchInterval: healthMs }).data?.items;
  // Agents on standby start only when a run needs them, so they do not count as offline.
  const started = testbed.devices.filter(({ standby }) => !standby);
  const online = started.filter((device) => device.online).length;
  const announced = testbed.devices.flatMap(({ capabilities, ...device }) =>
    capabilities ? [{ ...device, capabilities }] : [],
  );
  const isCompared = announced.length > 1;
  const isComplete = online === started.length;
  return (
    <section className={styles.testbed} aria-labelledby={`testbed-${testbed.testbedId}`}>
      <header className={styles.head}>
        <h2 id={`testbed-${testbed.testbedId}`}>{testbed.name}</h2>
        <StatusBadge kind={isComplete ? 'ready' : 'unreachable'}>
          {online} of {started.length} online
        </StatusBadge>
        <span className="second">
          {testbed.busyWith === null ? (
            'idle'
          ) : (
            <>
              in use by{' '}
              <Link className="link" to={`/experiments/${testbed.busyWith}`}>
                {experimentCode(testbed.busyWith)}
              </Link>
            </>
          )}
          {testbed.brokerPorts && `, broker ports ${describeBrokerPorts(testbed.brokerPorts)}`}
        </span>
        {known?.some(({ testbedId, ssh }) => testbedId === testbed.testbedId && ssh !== null) && (
          <>
            <ChangeTestbed testbed={testbed} />
            <DissolveTestbed testbedId={testbed.testbedId} name={testbed.name} />
          </>
        )}
      </header>
      <div className={styles.cards}>
        {testbed.devices.map((device) => (
          <DeviceCard
            key={device.deviceId}
            device={device}
            peers={testbed.devices.filter((other) => other !== device)}
            isCompared={isCompared}
            known={known?.find((one) => one.id === device.deviceId)}
            nowMs={nowMs}
          />
        ))}
      </div>
      {isCompared && (
        <Panel flush title="Facts" subtitle="all devices side by side">
          <DevicesFacts devices={announced} />
        </Panel>
      )}
      <ExternalBrokerPanel testbed={testbed} />
      <ExternalDevicePanel testbed={testbed} />
    </section>
  );
}

/** Changes roles, devices or links of a testbed. Rejected while the testbed is in use. */
function ChangeTestbed({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const devices = (useApi('GET /devices').data?.items ?? []).filter(({ ssh }) => ssh !== null);
  return (
    <>
      <Button variant="subtle" size="xs" onClick={() => setIsOpen(true)}>
        Change
      </Button>
      <TestbedDialog opened={isOpen} onClose={() => setIsOpen(false)} devices={devices} testbed={testbed} />
    </>
  );
}

/** Removes a testbed. Its devices remain and can form another testbed. */
function DissolveTestbed({ testbedId, name }: { testbedId: string; name: string }): ReactElement {
  const remove = useCall('DELETE /testbeds/{id}', deviceChanges);
  return (
    <Button
      variant="subtle"
      size="xs"
      loading={remove.isPending}
      onClick={() =>
        remove.mutate(
          { params: { id: testbedId } },
          { onError: (error) => showProblem(`${name} was not dissolved`, error) },
        )
      }
    >
      Dissolve
    </Button>
  );
}

type DeviceStatus = TestbedStatus['devices'][number];

type DeviceCardProps = {
  device: DeviceStatus;
  /** The other devices in its testbed. */
  peers: readonly DeviceStatus[];
  /** True if the device's facts are shown below, next to those of the other devices. */
  isCompared: boolean;
  /** undefined while the device is not known. */
  known: KnownDevice | undefined;
  nowMs: number;
};

const roleIcons: Readonly<Record<DeviceStatus['role'], Icon>> = {
  broker: IconServer2,
  publisher: IconBroadcast,
  bridge: IconTransform,
  'cloud-broker': IconCloud,
  subscriber: IconDeviceDesktopAnalytics,
};

function DeviceCard({ device, peers, isCompared, known, nowMs }: DeviceCardProps): ReactElement {
  const { name, role, online, standby = false, capabilities } = device;
  const RoleIcon = roleIcons[role];
  const look = lookOf(stateNow(online, known));
  return (
    <Panel
      flush
      title={
        <Link className="link" to={`/devices/${device.deviceId}`}>
          {name}
        </Link>
      }
      subtitle={name.includes(role) ? undefined : role}
      mark={<RoleIcon className={deviceCardStyles.icon} size={16} stroke={2} aria-hidden />}
      actions={
        <span className={deviceCardStyles.state}>
          <StatusLine kind={standby ? 'queued' : look.kind}>{standby ? 'On standby' : look.word}</StatusLine>
        </span>
      }
    >
      <div className={deviceCardStyles.body}>
        {online && known && known.reasons.length > 0 && <p>{reasonWords(known.reasons)}</p>}
        {known?.health && <HealthFacts health={known.health} />}
        {capabilities ? (
          <>
            {!isCompared && <DeviceFacts capabilities={capabilities} />}
            <DeviceOffers device={{ ...device, capabilities }} peers={peers} />
          </>
        ) : (
          <p className={deviceCardStyles.nothing}>
            Its agent has not connected yet, so its capabilities are unknown. The built-in agents start with
            the server. If the agent does not connect, check the server’s log.
          </p>
        )}
        <p className={deviceCardStyles.contact}>
          {standby
            ? 'Its agent starts when a run first needs it.'
            : contactWords(online, known?.lastSeenAt, nowMs)}
        </p>
      </div>
    </Panel>
  );
}

/** CPU, temperature, clock and disk of an idle device, as of its last report. */
function HealthFacts({ health }: { health: NonNullable<KnownDevice['health']> }): ReactElement {
  const facts = describeHealth(health);
  return (
    <dl className={deviceCardStyles.health} aria-label="Health">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function contactWords(online: boolean, lastSeenAt: number | null | undefined, nowMs: number): string {
  if (lastSeenAt === undefined) return online ? 'Connected now' : 'Last connection unknown';
  if (lastSeenAt === null) return 'Never connected';
  if (online) return `Connected, last message ${formatDateTime(lastSeenAt, nowMs)}`;
  const ago = formatAgo(lastSeenAt, nowMs);
  return `Last connected ${formatDateTime(lastSeenAt, nowMs)}, ${ago === 'now' ? 'just now' : `${ago} ago`}`;
}
