import type { ExternalDevice } from '@mqttlab/shared/domain/devices/external-device';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconCode, IconPlugConnected } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { useRemoveExternalDevice } from '../../../api/mutations.ts';
import { useSession } from '../../../api/queries.ts';
import { showProblem } from '../../../api/show-problem.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { ActionButton } from '../../../ui/input/buttons.tsx';
import styles from './external.module.css';
import { ExternalDeviceDialog } from './external-device-dialog.tsx';
import { ExternalPartPanel } from './external-part.tsx';
import { ProgramDialog } from './program-dialog.tsx';

type Opened = 'form' | 'program' | null;

/** The device of a testbed that cannot run the agent: how it is reached, and what its program needs. */
export function ExternalDevicePanel({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const { testbedId, externalDevice: device } = testbed;
  const role = useSession().data?.role;
  const [opened, setOpened] = useState<Opened>(null);
  const remove = useRemoveExternalDevice(testbedId);
  const forget = (): void =>
    remove.mutate(undefined, { onError: (error) => showProblem('The device was not removed', error) });
  const close = (): void => setOpened(null);
  return (
    <ExternalPartPanel
      testbed={testbed}
      noun="device"
      icon={IconPlugConnected}
      subtitle={device?.name}
      actions={
        role !== 'viewer' && (
          <ActionButton small icon={IconCode} onClick={() => setOpened('program')}>
            Program and password
          </ActionButton>
        )
      }
      known={
        device && (
          <div className={styles.facts}>
            <Facts facts={describeDevice(device)} />
          </div>
        )
      }
      offer="Measure a publisher or subscriber that cannot run the agent: an ESP32, a PLC, a phone. It gets a ready program, and becomes a level of the factor “Client”."
      onEdit={() => setOpened('form')}
      onRemove={forget}
    >
      <ExternalDeviceDialog
        testbedId={testbedId}
        stored={device}
        opened={opened === 'form'}
        onClose={close}
      />
      {device && <ProgramDialog testbedId={testbedId} opened={opened === 'program'} onClose={close} />}
    </ExternalPartPanel>
  );
}

const latencyOf = {
  echo: 'round trip, by the publisher’s clock',
  round: 'round trip, by its own clock',
  'one-way': 'one way, by its clock compared over MQTT',
};

function describeDevice({ role, port, tlsPort, waitSeconds, roundTrip }: ExternalDevice): Fact[] {
  return [
    { label: 'Role', value: role },
    { label: 'Ports of the broker', value: `${port} plain, ${tlsPort} TLS` },
    { label: 'A run waits for it', value: `${waitSeconds} s` },
    { label: 'Latency', value: latencyOf[role === 'subscriber' ? 'echo' : roundTrip ? 'round' : 'one-way'] },
  ];
}
