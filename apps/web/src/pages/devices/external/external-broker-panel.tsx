import { PasswordInput, Textarea } from '@mantine/core';
import { makeEmptyDraft } from '@mqttlab/shared/catalogue/tour';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { mqttVersions } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Preflight, TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconPlugConnected, IconServerBolt } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { ApiErrorState, FormError } from '../../../api/api-error-state.tsx';
import { showProblem } from '../../../api/show-problem.tsx';
import { type ApiForm, useApiForm } from '../../../api/use-api-form.tsx';
import { useCall } from '../../../api/use-call.ts';
import { Chip, ChipGroup } from '../../../ui/chip.tsx';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { ActionButton } from '../../../ui/input/action-button.tsx';
import { Field, FieldProblemLine, TextFields, type TextSpec } from '../../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import { type BrokerForm, openForm, placeBroker, readForm } from './broker-form.ts';
import styles from './external.module.css';
import { ExternalPartPanel, SaveButtons } from './external-part.tsx';

/** The external broker of a testbed: settings and a connection test. */
export function ExternalBrokerPanel({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const { testbedId, externalBroker: broker } = testbed;
  const [isEditing, setEditing] = useState(false);
  const test = useCall('POST /testbeds/{id}/preflight');
  // Connects both clients once per protocol of the broker, using an experiment's pre-flight.
  const start = (tested: ExternalBroker): void =>
    test.mutate({ params: { id: testbedId }, body: makeTestDraft(testbedId, tested) });
  const remove = useCall('DELETE /testbeds/{id}/external-broker', { changes: ['GET /testbeds'] });
  const forget = (): void =>
    remove.mutate(
      { params: { id: testbedId } },
      { onSuccess: () => test.reset(), onError: (error) => showProblem('The broker was not removed', error) },
    );
  return (
    <ExternalPartPanel
      testbed={testbed}
      noun="broker"
      icon={IconServerBolt}
      subtitle={broker?.label}
      actions={
        broker && (
          <ActionButton small icon={IconPlugConnected} loading={test.isPending} onClick={() => start(broker)}>
            Test connection
          </ActionButton>
        )
      }
      known={
        broker && (
          <div className={styles.body}>
            <Facts facts={describeBroker(broker)} />
            <div className={styles.tried}>
              {test.error && <ApiErrorState error={test.error} onRetry={() => start(broker)} />}
              {test.data ? (
                <TestResult checks={connectionsIn(test.data.checks)} broker={broker} />
              ) : (
                !test.error && <NotTested />
              )}
            </div>
          </div>
        )
      }
      offer="Measure a broker that is already running elsewhere, such as EMQX, NanoMQ, HiveMQ or RabbitMQ. It becomes a level of the factor “Broker”."
      onEdit={() => setEditing(true)}
      onRemove={forget}
    >
      <ExternalBrokerDialog
        testbedId={testbedId}
        stored={broker}
        opened={isEditing}
        onClose={() => {
          setEditing(false);
          test.reset();
        }}
      />
    </ExternalPartPanel>
  );
}

function NotTested(): ReactElement {
  return (
    <p className={styles.hint}>
      Not tested since this page was opened. The test connects both clients once per protocol and publishes
      nothing.
    </p>
  );
}

type TestResultProps = { checks: Preflight['checks']; broker: ExternalBroker };

function TestResult({ checks, broker }: TestResultProps): ReactElement {
  if (checks.length === 0) {
    return <p className={styles.words}>Not tested: a device in this testbed is offline.</p>;
  }
  return (
    <ul aria-label={`Connections to ${broker.label}`} className={styles.checks}>
      {checks.map((check) => {
        const { protocol, found } = describeCheck(check, broker);
        return (
          <li key={check.id}>
            <StatusLine kind={check.status === 'passed' ? 'passed' : 'failed'}>{protocol}</StatusLine>
            <span className={styles.found}>
              {found}
              {check.remedy && ` ${check.remedy}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

type Check = Preflight['checks'][number];

function describeBroker(broker: ExternalBroker): Fact[] {
  const { address, port, tlsPort, websocketPort, mqttVersions, username, hasPassword, process, unit } =
    broker;
  const ports = [
    ...(port === null ? [] : [`${port} plain`]),
    ...(tlsPort === null ? [] : [`${tlsPort} TLS`]),
    ...(websocketPort === null ? [] : [`${websocketPort} WebSocket`]),
  ];
  const trust = broker.authority === null ? 'the testbed’s authority' : 'its own authority';
  return [
    { label: 'Address', value: address },
    { label: 'Ports', value: ports.join(', ') },
    { label: 'MQTT', value: mqttVersions.join(', ') },
    {
      label: 'Login',
      value: username === null ? 'anonymous' : `${username}, ${hasPassword ? 'with' : 'without'} password`,
    },
    ...(tlsPort === null
      ? []
      : [{ label: 'Certificate', value: `${broker.serverName ?? address}, by ${trust}` }]),
    {
      label: 'Measured',
      value: unit !== null ? `unit ${unit}` : process !== null ? `process ${process}` : 'no process',
    },
  ];
}

/** Shortens a pre-flight check for this panel, whose title already names the broker. */
function describeCheck(
  { label, evidence, status }: Check,
  broker: ExternalBroker,
): { protocol: string; found: string } {
  const way = (label.split(':')[0] ?? label).replace(', external broker', '');
  const [protocol = way, ...details] = way.split(', ');
  if (status === 'passed') {
    const seen = evidence.replace(`external ${broker.label}`, '').replace(/^, /, '');
    return { protocol, found: seen === '' ? 'Both clients connected.' : `Both clients connected: ${seen}.` };
  }
  const tried = details.length === 0 ? '' : `Tried ${details.join(', ')}. `;
  return { protocol, found: `${tried}${evidence}${/[.!?]$/.test(evidence) ? '' : '.'}` };
}

/** Suites for the test, per TLS version; the second suite is for brokers with an RSA certificate. */
const tlsSuites = [
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
] as const;

/** Returns a draft whose pre-flight connects once per protocol of this broker. */
export function makeTestDraft(testbedId: string, broker: ExternalBroker): ExperimentDraft {
  const { port, tlsPort, websocketPort } = broker;
  const overTcp = port !== null || tlsPort !== null;
  return {
    ...makeEmptyDraft(testbedId, 1),
    name: `Connection test of ${broker.label}`,
    factors: {
      broker: ['external'],
      security: [
        ...(port !== null || websocketPort !== null ? ['plain'] : []),
        ...(tlsPort === null ? [] : ['TLS 1.2', 'TLS 1.3']),
      ],
      cipherSuite: [...tlsSuites],
      // This curve is supported by every broker and used by the default certificate.
      group: ['P-256'],
      transport: overTcp ? ['tcp'] : ['websocket'],
      qos: [0],
    },
    repetitions: 1,
  };
}

/** Reports a protocol as working if one suite works. Otherwise lists each reason once. */
export function bestOfEach(checks: readonly Check[]): Check[] {
  const byProtocol = Map.groupBy(checks, ({ label }) => label.split(/[,:]/)[0]);
  return [...byProtocol.values()].flatMap((tried) => {
    const working = tried.filter(({ status }) => status === 'passed').slice(0, 1);
    if (working.length > 0) return working;
    return tried.filter(
      ({ evidence }, index) => tried.findIndex((other) => other.evidence === evidence) === index,
    );
  });
}

function connectionsIn(checks: readonly Check[]): Check[] {
  return bestOfEach(checks.filter(({ id }) => id.startsWith('connect-')));
}

type ExternalBrokerDialogProps = {
  testbedId: string;
  /** null if there is none yet. */
  stored: ExternalBroker | null;
  opened: boolean;
  onClose: () => void;
};

/** Sets the address of an external broker. */
function ExternalBrokerDialog({ opened, onClose, ...form }: ExternalBrokerDialogProps): ReactElement {
  return (
    <Dialog title="External broker" size={560} opened={opened} onClose={onClose}>
      <ExternalBrokerForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function ExternalBrokerForm(props: Omit<ExternalBrokerDialogProps, 'opened'>): ReactElement {
  const { testbedId, stored, onClose } = props;
  const form = useApiForm({
    initial: openForm(stored),
    call: useCall('PUT /testbeds/{id}/external-broker', { changes: ['GET /testbeds'] }),
    read: readForm,
    args: (body) => ({ params: { id: testbedId }, body }),
    placeOf: placeBroker,
    onDone: onClose,
  });
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={<SaveButtons isPending={form.isPending} onCancel={onClose} />}
    >
      <p className={styles.words}>
        A broker that mqttlab does not run, such as EMQX, NanoMQ, HiveMQ or RabbitMQ. mqttlab connects to it
        and measures it, but never starts, configures or stops it.
      </p>
      <BrokerFormFields form={form} stored={stored} />
      <FormError error={form.error} lost="Nothing was saved." />
    </DialogForm>
  );
}

type BrokerFormFieldsProps = { form: ApiForm<BrokerForm>; stored: ExternalBroker | null };

type TextName = Exclude<keyof BrokerForm, 'mqttVersions' | 'sampled'>;

const port = { inputMode: 'numeric', placeholder: 'none' } as const;
const names: readonly TextSpec<TextName>[] = [
  { name: 'label', label: 'Name', hint: 'Shown in tables.', placeholder: 'RabbitMQ 3.10' },
  { name: 'address', label: 'Address', hint: 'Reachable from all devices.', placeholder: '192.0.2.7' },
];
const ports: readonly TextSpec<TextName>[] = [
  { name: 'port', label: 'Plain port', ...port },
  { name: 'tlsPort', label: 'TLS port', ...port },
  { name: 'websocketPort', label: 'WebSocket port', ...port },
];
const user: readonly TextSpec<TextName>[] = [
  { name: 'username', label: 'User name', placeholder: 'anonymous' },
];
const sampledNames: Readonly<Record<'process' | 'unit', TextSpec<TextName>>> = {
  process: {
    name: 'sampledName',
    label: 'Process',
    hint: 'File name of the program, such as beam.smp (RabbitMQ, EMQX) or nanomq.',
  },
  unit: { name: 'sampledName', label: 'Unit', hint: 'The systemd unit, such as rabbitmq-server.service.' },
};

function BrokerFormFields({ form, stored }: BrokerFormFieldsProps): ReactElement {
  const { values } = form;
  const { error: passwordProblem, ...password } = form.getInputProps('password');
  const { error: authorityProblem, ...authority } = form.getInputProps('authority');
  const { error: versionsProblem } = form.getInputProps('mqttVersions');
  const serverName: TextSpec<TextName> = {
    name: 'serverName',
    label: 'Name in the certificate',
    hint: 'Leave empty if the certificate contains the address.',
    placeholder: values.address,
  };
  return (
    <>
      <div className={styles.pair}>
        <TextFields form={form} of={names} first="label" />
      </div>
      <div className={styles.triple}>
        <TextFields form={form} of={ports} />
      </div>
      <div className={styles.group}>
        <span className={styles.legend}>MQTT versions</span>
        <ChipGroup label="MQTT versions">
          {mqttVersions.map((version) => (
            <Chip
              key={version}
              selected={values.mqttVersions.includes(version)}
              onToggle={() => form.setFieldValue('mqttVersions', toggle(values.mqttVersions, version))}
            >
              {version}
            </Chip>
          ))}
        </ChipGroup>
        {versionsProblem && <FieldProblemLine problem={versionsProblem} />}
      </div>
      <div className={styles.pair}>
        <TextFields form={form} of={user} />
        <Field label="Password" problem={passwordProblem}>
          {(control) => (
            <PasswordInput
              {...password}
              {...control}
              autoComplete="new-password"
              spellCheck={false}
              placeholder={stored?.hasPassword ? 'unchanged' : 'none'}
            />
          )}
        </Field>
      </div>
      {values.tlsPort.trim() !== '' && (
        <>
          <TextFields form={form} of={[serverName]} />
          <Field
            label="CA certificate"
            hint="PEM. Only this CA is trusted. Leave empty to use the testbed’s CA."
            problem={authorityProblem}
          >
            {(control) => (
              <Textarea
                {...authority}
                {...control}
                autoComplete="off"
                spellCheck={false}
                classNames={{ input: styles.pem ?? '' }}
                rows={4}
                placeholder="-----BEGIN CERTIFICATE-----"
              />
            )}
          </Field>
        </>
      )}
      <div className={styles.group}>
        <span className={styles.legend}>Measure on the broker’s device</span>
        <SegmentedSwitch
          label="Measure on the broker’s device"
          value={values.sampled}
          options={[
            { value: 'nothing', label: 'No process' },
            { value: 'process', label: 'A process' },
            { value: 'unit', label: 'A systemd unit' },
          ]}
          onChange={(sampled) => form.setFieldValue('sampled', sampled)}
        />
        {values.sampled === 'nothing' ? (
          <span className={styles.hint}>CPU and memory of the broker are not measured.</span>
        ) : (
          <TextFields form={form} of={[sampledNames[values.sampled]]} />
        )}
      </div>
    </>
  );
}

function toggle<T>(chosen: readonly T[], value: T): T[] {
  return chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
}
