import { Button, CopyButton, Textarea } from '@mantine/core';
import { writeDevicePrograms } from '@mqttlab/shared/catalogue/external-device/programs';
import { deviceTopics } from '@mqttlab/shared/catalogue/external-device/protocol';
import { sharedRoles } from '@mqttlab/shared/domain/devices/device';
import {
  type ExternalDevice,
  type ExternalDeviceAccess,
  externalDeviceSchema,
} from '@mqttlab/shared/domain/devices/external-device';
import { isLoopbackAddress } from '@mqttlab/shared/domain/devices/network-address';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconCode, IconCopy, IconDownload, IconPlugConnected } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { FormError } from '../../../api/api-error-state.tsx';
import { Loaded } from '../../../api/loaded.tsx';
import { showProblem } from '../../../api/show-problem.tsx';
import { useApi } from '../../../api/use-api.ts';
import { type PlaceOf, readWith, useApiForm } from '../../../api/use-api-form.tsx';
import { useCall } from '../../../api/use-call.ts';
import { downloadBlob } from '../../../charts/panels/download.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { ActionButton } from '../../../ui/input/action-button.tsx';
import { TextFields, type TextSpec } from '../../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { BlockSkeleton } from '../../../ui/skeletons.tsx';
import { problemOfField } from './broker-form.ts';
import styles from './external.module.css';
import { ExternalPartPanel, SaveButtons } from './external-part.tsx';

type Opened = 'form' | 'program' | null;

/** The external device of a testbed: its addresses and the settings for its program. */
export function ExternalDevicePanel({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const { testbedId, externalDevice: device } = testbed;
  const role = useApi('GET /session').data?.role;
  const [opened, setOpened] = useState<Opened>(null);
  const remove = useCall('DELETE /testbeds/{id}/external-device', { changes: ['GET /testbeds'] });
  const forget = (): void =>
    remove.mutate(
      { params: { id: testbedId } },
      { onError: (error) => showProblem('The device was not removed', error) },
    );
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
      offer="Measure a publisher or subscriber that cannot run the agent, such as an ESP32, a PLC or a phone. mqttlab generates its program. The device becomes a level of the factor “Client”."
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
  echo: 'round trip, timed by the publisher’s clock',
  round: 'round trip, timed by its own clock',
  'one-way': 'one way, timed by its clock, which is compared over MQTT',
};

function describeDevice({ role, port, tlsPort, waitSeconds, roundTrip }: ExternalDevice): Fact[] {
  return [
    { label: 'Role', value: role },
    { label: 'Ports of the broker', value: `${port} plain, ${tlsPort} TLS` },
    { label: 'A run waits for it', value: `${waitSeconds} s` },
    { label: 'Latency', value: latencyOf[role === 'subscriber' ? 'echo' : roundTrip ? 'round' : 'one-way'] },
  ];
}

type ExternalDeviceDialogProps = {
  testbedId: string;
  /** null if there is none yet. */
  stored: ExternalDevice | null;
  opened: boolean;
  onClose: () => void;
};

/** Edits a device without an agent: name, role and broker ports. */
function ExternalDeviceDialog({ opened, onClose, ...form }: ExternalDeviceDialogProps): ReactElement {
  return (
    <Dialog title="External device" size={560} opened={opened} onClose={onClose}>
      <ExternalDeviceForm {...form} onClose={onClose} />
    </Dialog>
  );
}

type Name = 'name' | 'port' | 'tlsPort' | 'waitSeconds';

const number = { inputMode: 'numeric' } as const;
const named: readonly TextSpec<Name>[] = [
  { name: 'name', label: 'Name', hint: 'Also used as its MQTT user name.', placeholder: 'node-3' },
];
const numbers: readonly TextSpec<Name>[] = [
  { name: 'port', label: 'Plain port', ...number },
  { name: 'tlsPort', label: 'TLS port', ...number },
  { name: 'waitSeconds', label: 'Wait for it', unit: 's', ...number },
];
const roles = sharedRoles.map((value) => ({
  value,
  label: value === 'publisher' ? 'Publisher' : 'Subscriber',
}));
const remedies: Readonly<Record<string, string>> = {
  name: 'Enter a name such as node-3.',
  port: 'Enter a port such as 1883.',
  tlsPort: 'Enter a port such as 8883.',
  waitSeconds: 'Enter a number such as 60.',
};

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

const placeDevice: PlaceOf = ({ field, reason }) => ({
  field,
  problem: problemOfField(reason, remedies[field]),
});

function ExternalDeviceForm(props: Omit<ExternalDeviceDialogProps, 'opened'>): ReactElement {
  const { testbedId, stored, onClose } = props;
  const form = useApiForm({
    initial: {
      name: stored?.name ?? '',
      port: String(stored?.port ?? 1883),
      tlsPort: String(stored?.tlsPort ?? 8883),
      waitSeconds: String(stored?.waitSeconds ?? 60),
      role: stored?.role ?? ('publisher' as const),
      roundTrip: stored?.roundTrip ?? true,
    },
    call: useCall('PUT /testbeds/{id}/external-device', { changes: ['GET /testbeds'] }),
    read: ({ port, tlsPort, waitSeconds, ...rest }) => {
      const numbers = {
        port: numberOf(port),
        tlsPort: numberOf(tlsPort),
        waitSeconds: numberOf(waitSeconds),
      };
      return readWith(externalDeviceSchema, { ...rest, ...numbers }, placeDevice);
    },
    args: (body) => ({ params: { id: testbedId }, body }),
    placeOf: placeDevice,
    onDone: onClose,
  });
  const { role, roundTrip } = form.values;
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={<SaveButtons isPending={form.isPending} onCancel={onClose} />}
    >
      <p className={styles.words}>
        A device that cannot run the agent. Each run’s broker waits for it on the first port without TLS and
        on the second port with TLS. The device then sends or receives the run’s messages.
      </p>
      <TextFields form={form} of={named} first="name" />
      <div className={`${styles.triple} ${styles.stacked}`}>
        <TextFields form={form} of={numbers} />
      </div>
      <div className={styles.group}>
        <span className={styles.legend}>Role</span>
        <SegmentedSwitch
          label="Role"
          value={role}
          options={roles}
          onChange={(value) => form.setFieldValue('role', value)}
        />
        {role === 'subscriber' && (
          <span className={styles.hint}>
            The device sends every message back. mqttlab counts the messages and times them by the publisher’s
            clock.
          </span>
        )}
      </div>
      {role === 'publisher' && (
        <div className={styles.group}>
          <span className={styles.legend}>Latency</span>
          <SegmentedSwitch
            label="Latency"
            value={roundTrip ? 'round' : 'one-way'}
            options={[
              { value: 'round', label: 'Round trip' },
              { value: 'one-way', label: 'One way' },
            ]}
            onChange={(way) => form.setFieldValue('roundTrip', way === 'round')}
          />
          <span className={styles.hint}>
            {roundTrip
              ? 'The device also receives its own messages and times them by its own clock. Receiving uses additional energy.'
              : 'The device’s clock is compared over MQTT. One-way latency is shown only if the comparison is precise enough.'}
          </span>
        </div>
      )}
      <FormError error={form.error} lost="Nothing was saved." />
    </DialogForm>
  );
}

type ProgramDialogProps = { testbedId: string; opened: boolean; onClose: () => void };

/** Settings for an external device's program, and generated programs that contain these settings. */
function ProgramDialog({ testbedId, opened, onClose }: ProgramDialogProps): ReactElement {
  const access = useApi(
    'GET /testbeds/{id}/external-device',
    opened ? { params: { id: testbedId } } : null,
    // A new name creates a new password.
    { gcTime: 0 },
  );
  return (
    <Dialog title="Program of the external device" size={820} opened={opened} onClose={onClose}>
      <Loaded query={access} skeleton={<BlockSkeleton heightPx={360} />}>
        {(found) => <ProgramText access={found} />}
      </Loaded>
    </Dialog>
  );
}

function ProgramText({ access }: { access: ExternalDeviceAccess }): ReactElement {
  const { device, password, authority, addresses } = access;
  // Addresses that other machines can reach are first.
  const reachable = addresses.toSorted(
    (a, b) => Number(isLoopbackAddress(a.address)) - Number(isLoopbackAddress(b.address)),
  );
  const [address, setAddress] = useState(reachable[0]?.address ?? '');
  const programs = writeDevicePrograms(access, address);
  const [fileName, setFileName] = useState(programs[0]?.fileName ?? '');
  const program = programs.find((one) => one.fileName === fileName) ?? programs[0];
  const save = (text: string, name: string): void =>
    downloadBlob(new Blob([text], { type: 'text/plain;charset=utf-8' }), name);
  return (
    <div className={styles.program}>
      <Facts
        facts={[
          { label: 'Broker', value: `${address}, port ${device.port} plain, ${device.tlsPort} TLS` },
          { label: 'Login', value: `${device.name}, password ${password}` },
          { label: 'Topics', value: topicsInWords(device) },
          ...(device.role === 'publisher'
            ? [{ label: 'Stamp', value: '20 bytes at the start of each payload' }]
            : []),
        ]}
      />
      <div className={styles.choices}>
        {reachable.length > 1 && (
          <SegmentedSwitch
            label="Address of the broker"
            value={address}
            options={reachable.map((one) => ({ value: one.address, label: `${one.link} ${one.address}` }))}
            onChange={setAddress}
          />
        )}
        {programs.length > 1 && (
          <SegmentedSwitch
            label="Language"
            value={fileName}
            options={programs.map((one) => ({ value: one.fileName, label: one.label }))}
            onChange={setFileName}
          />
        )}
      </div>
      {program && (
        <>
          <Textarea
            aria-label={`Program in ${program.label}`}
            value={program.text}
            readOnly
            rows={16}
            spellCheck={false}
            classNames={{ input: styles.text ?? '' }}
          />
          <div className={styles.choices}>
            <CopyButton value={program.text}>
              {({ copied, copy }) => (
                <Button leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
                  {copied ? 'Copied' : 'Copy program'}
                </Button>
              )}
            </CopyButton>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => save(program.text, program.fileName)}
            >
              Save {program.fileName}
            </Button>
            <Button variant="default" onClick={() => save(authority, 'mqttlab-authority.pem')}>
              Save the CA certificate
            </Button>
          </div>
          <p className={styles.hint}>{program.tried}</p>
        </>
      )}
    </div>
  );
}

function topicsInWords({ name, role }: ExternalDeviceAccess['device']): string {
  const { ask, tell, echo } = deviceTopics(name);
  return `receives commands on ${ask}, responds on ${tell}${role === 'subscriber' ? `, sends back on ${echo}` : ''}`;
}
