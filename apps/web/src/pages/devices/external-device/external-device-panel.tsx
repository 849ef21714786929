import { VisuallyHidden } from '@mantine/core';
import type { ExternalDevice } from '@mqttlab/shared/domain/devices/external-device';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconCode, IconPencil, IconPlugConnected, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { useRemoveExternalDevice } from '../../../api/mutations.ts';
import { useSession } from '../../../api/queries.ts';
import { showProblem } from '../../../api/show-problem.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { ActionButton, IconButton } from '../../../ui/input/buttons.tsx';
import { Panel } from '../../../ui/panel.tsx';
import styles from './external-device.module.css';
import { ExternalDeviceDialog } from './external-device-dialog.tsx';
import { ProgramDialog } from './program-dialog.tsx';

type Opened = 'form' | 'program' | null;

/** The publisher of a testbed that cannot run the agent: how it is reached, and what its program needs. */
export function ExternalDevicePanel({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const { testbedId, externalDevice: device } = testbed;
  const role = useSession().data?.role;
  const isAdministrator = role === 'administrator';
  const [opened, setOpened] = useState<Opened>(null);
  const remove = useRemoveExternalDevice(testbedId);
  const forget = (): void =>
    remove.mutate(undefined, { onError: (error) => showProblem('The device was not removed', error) });
  const close = (): void => setOpened(null);
  return (
    <Panel
      flush
      title={
        <>
          External device
          {/* Each testbed has one: read out, their names differ. */}
          <VisuallyHidden> of {testbed.name}</VisuallyHidden>
        </>
      }
      subtitle={device?.name}
      mark={<IconPlugConnected className={styles.icon} size={16} stroke={2} aria-hidden />}
      actions={
        device && (
          <>
            {role !== 'viewer' && (
              <ActionButton small icon={IconCode} onClick={() => setOpened('program')}>
                Program and password
              </ActionButton>
            )}
            {isAdministrator && (
              <>
                <IconButton
                  icon={IconPencil}
                  label="Change the external device"
                  onClick={() => setOpened('form')}
                />
                <IconButton icon={IconTrash} label="Remove the external device" onClick={forget} />
              </>
            )}
          </>
        )
      }
    >
      {device ? (
        <div className={styles.body}>
          <Facts facts={describeDevice(device)} />
        </div>
      ) : (
        <NoDevice onSet={isAdministrator ? () => setOpened('form') : null} />
      )}
      <ExternalDeviceDialog
        testbedId={testbedId}
        stored={device}
        opened={opened === 'form'}
        onClose={close}
      />
      {device && <ProgramDialog testbedId={testbedId} opened={opened === 'program'} onClose={close} />}
    </Panel>
  );
}

/** null: an administrator may. */
function NoDevice({ onSet }: { onSet: (() => void) | null }): ReactElement {
  return (
    <div className={styles.none}>
      <p>
        Measure a publisher that cannot run the agent: an ESP32, a PLC, a phone. It gets a ready program, and
        becomes a level of the factor “Client”.{onSet === null && ' An administrator sets it.'}
      </p>
      {onSet && (
        <ActionButton icon={IconPlus} onClick={onSet}>
          Set an external device
        </ActionButton>
      )}
    </div>
  );
}

function describeDevice({ port, tlsPort, waitSeconds, roundTrip }: ExternalDevice): Fact[] {
  return [
    { label: 'Ports of the broker', value: `${port} plain, ${tlsPort} TLS` },
    { label: 'A run waits for it', value: `${waitSeconds} s` },
    {
      label: 'Latency',
      value: roundTrip ? 'round trip, by its own clock' : 'one way, by its clock compared over MQTT',
    },
  ];
}
