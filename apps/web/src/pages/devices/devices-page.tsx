import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { useDevices, useTestbeds } from '../../api/queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { BlockSkeleton } from '../../ui/skeletons.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { experimentCode } from '../experiments/describe-experiment.ts';
import { useNow } from '../experiments/use-now.ts';
import { DeviceCard } from './device-card.tsx';
import styles from './devices-page.module.css';
import { ExternalBrokerPanel } from './external-broker/external-broker-panel.tsx';
import { ChangeTestbed } from './remote/change-testbed.tsx';
import { DissolveTestbed } from './remote/dissolve-testbed.tsx';
import { RemoteDevicesPanel } from './remote/remote-devices-panel.tsx';

/** Every testbed with its devices: what each can do and whether it is there. */
export function DevicesPage(): ReactElement {
  const testbeds = useTestbeds();
  return (
    <Page title="Devices">
      {testbeds.error && !testbeds.data && (
        <ApiErrorState error={testbeds.error} onRetry={() => void testbeds.refetch()} />
      )}
      {testbeds.isPending && <BlockSkeleton heightPx={360} />}
      {testbeds.data?.length === 0 && (
        <EmptyState sentence="No testbed yet. The built-in one connects when the server starts; reload in a moment." />
      )}
      {testbeds.data && <RemoteDevicesPanel />}
      {testbeds.data?.map((testbed) => (
        <Testbed key={testbed.testbedId} testbed={testbed} />
      ))}
    </Page>
  );
}

function Testbed({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const nowMs = useNow();
  const known = useDevices();
  // Those on standby are not started until a run needs them: they are no part of what is there now.
  const started = testbed.devices.filter(({ standby }) => !standby);
  const online = started.filter((device) => device.online).length;
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
            known={known.data?.find((one) => one.id === device.deviceId)}
            nowMs={nowMs}
          />
        ))}
      </div>
      <ExternalBrokerPanel testbed={testbed} />
    </section>
  );
}
