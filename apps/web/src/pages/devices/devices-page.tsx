import { Button } from '@mantine/core';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import { Loaded } from '../../api/loaded.tsx';
import { useDevices, useTestbeds } from '../../api/queries.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { experimentCode, useNow } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { BlockSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { DeviceCard } from './device-card.tsx';
import { DevicesFacts } from './device-facts.tsx';
import styles from './devices-page.module.css';
import { ExternalBrokerPanel } from './external/external-broker-panel.tsx';
import { ExternalDevicePanel } from './external/external-device-panel.tsx';
import { useRemoveTestbed } from './remote/device-calls.ts';
import { TestbedDialog } from './remote/testbed-dialog.tsx';
import { RemoteDevicesPanel } from './remote-devices-panel.tsx';

/** Every testbed with its devices: what each can do and whether it is there. */
export function DevicesPage(): ReactElement {
  const testbeds = useTestbeds();
  return (
    <Page title="Devices">
      <Loaded query={testbeds} skeleton={<BlockSkeleton heightPx={360} />}>
        {(all) => (
          <>
            {all.length === 0 && (
              <EmptyState sentence="No testbed yet. The built-in one connects when the server starts; reload in a moment." />
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
  const known = useDevices();
  // Those on standby are not started until a run needs them: they are no part of what is there now.
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
        </span>
        {known.data?.some(({ testbedId, ssh }) => testbedId === testbed.testbedId && ssh !== null) && (
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
            known={known.data?.find((one) => one.id === device.deviceId)}
            nowMs={nowMs}
          />
        ))}
      </div>
      {isCompared && (
        <Panel flush title="Facts" subtitle="of every device, side by side">
          <DevicesFacts devices={announced} />
        </Panel>
      )}
      <ExternalBrokerPanel testbed={testbed} />
      <ExternalDevicePanel testbed={testbed} />
    </section>
  );
}

/** Other roles, other devices, other links; refused while it is in use. */
function ChangeTestbed({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const devices = (useDevices().data ?? []).filter(({ ssh }) => ssh !== null);
  return (
    <>
      <Button variant="subtle" size="xs" onClick={() => setIsOpen(true)}>
        Change
      </Button>
      <TestbedDialog opened={isOpen} onClose={() => setIsOpen(false)} devices={devices} testbed={testbed} />
    </>
  );
}

/** Its devices stay, and can be put together anew. */
function DissolveTestbed({ testbedId, name }: { testbedId: string; name: string }): ReactElement {
  const remove = useRemoveTestbed(testbedId);
  return (
    <Button
      variant="subtle"
      size="xs"
      loading={remove.isPending}
      onClick={() =>
        remove.mutate(undefined, { onError: (error) => showProblem(`${name} was not dissolved`, error) })
      }
    >
      Dissolve
    </Button>
  );
}
