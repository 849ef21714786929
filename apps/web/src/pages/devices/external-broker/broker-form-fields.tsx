import { PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import { mqttVersions } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ReactElement } from 'react';
import { Chip, ChipGroup } from '../../../ui/chip.tsx';
import { Field, FieldProblemLine } from '../../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import type { BrokerForm, FormField, FormProblems } from './broker-form.ts';
import styles from './external-broker.module.css';

type BrokerFormFieldsProps = {
  form: BrokerForm;
  problems: FormProblems;
  stored: ExternalBroker | null;
  onChange: (change: Partial<BrokerForm>) => void;
};

const sampledHints: Readonly<Record<'process' | 'unit', string>> = {
  process: 'The file name of the program, such as beam.smp of RabbitMQ and EMQX, or nanomq.',
  unit: 'The systemd unit, such as rabbitmq-server.service.',
};

export function BrokerFormFields(props: BrokerFormFieldsProps): ReactElement {
  const { form, problems, stored, onChange } = props;
  const text = (field: Exclude<FormField, 'mqttVersions'>) => ({
    value: form[field],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [field]: event.currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
  });
  return (
    <>
      <div className={styles.pair}>
        <Field label="Name" hint="As it will stand in tables." problem={problems.label}>
          {(control) => (
            <TextInput {...control} {...text('label')} data-autofocus placeholder="RabbitMQ 3.10" />
          )}
        </Field>
        <Field label="Address" hint="As all devices reach it." problem={problems.address}>
          {(control) => <TextInput {...control} {...text('address')} placeholder="192.0.2.7" />}
        </Field>
      </div>
      <div className={styles.triple}>
        <Field label="Plain port" problem={problems.port}>
          {(control) => <TextInput {...control} {...text('port')} inputMode="numeric" placeholder="none" />}
        </Field>
        <Field label="TLS port" problem={problems.tlsPort}>
          {(control) => (
            <TextInput {...control} {...text('tlsPort')} inputMode="numeric" placeholder="none" />
          )}
        </Field>
        <Field label="WebSocket port" problem={problems.websocketPort}>
          {(control) => (
            <TextInput {...control} {...text('websocketPort')} inputMode="numeric" placeholder="none" />
          )}
        </Field>
      </div>
      <div className={styles.group}>
        <span className={styles.legend}>MQTT versions</span>
        <ChipGroup label="MQTT versions">
          {mqttVersions.map((version) => (
            <Chip
              key={version}
              selected={form.mqttVersions.includes(version)}
              onToggle={() => onChange({ mqttVersions: toggle(form.mqttVersions, version) })}
            >
              {version}
            </Chip>
          ))}
        </ChipGroup>
        {problems.mqttVersions && <FieldProblemLine problem={problems.mqttVersions} />}
      </div>
      <div className={styles.pair}>
        <Field label="User name" problem={problems.username}>
          {(control) => <TextInput {...control} {...text('username')} placeholder="anonymous" />}
        </Field>
        <Field label="Password" problem={problems.password}>
          {(control) => (
            <PasswordInput
              {...control}
              {...text('password')}
              autoComplete="new-password"
              placeholder={stored?.hasPassword ? 'kept as it is' : 'none'}
            />
          )}
        </Field>
      </div>
      {form.tlsPort.trim() !== '' && (
        <>
          <Field
            label="Name in its certificate"
            hint="Empty: the certificate carries the address."
            problem={problems.serverName}
          >
            {(control) => <TextInput {...control} {...text('serverName')} placeholder={form.address} />}
          </Field>
          <Field
            label="Certificate of its authority"
            hint="PEM; only this authority is trusted. Empty: the testbed’s own."
            problem={problems.authority}
          >
            {(control) => (
              <Textarea
                {...control}
                {...text('authority')}
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
          value={form.sampled}
          options={[
            { value: 'nothing', label: 'No process' },
            { value: 'process', label: 'A process' },
            { value: 'unit', label: 'A systemd unit' },
          ]}
          onChange={(sampled) => onChange({ sampled })}
        />
        {form.sampled === 'nothing' ? (
          <span className={styles.hint}>CPU and memory of the broker stay unknown.</span>
        ) : (
          <Field
            label={form.sampled === 'process' ? 'Process' : 'Unit'}
            hint={sampledHints[form.sampled]}
            problem={problems.sampledName}
          >
            {(control) => <TextInput {...control} {...text('sampledName')} />}
          </Field>
        )}
      </div>
    </>
  );
}

function toggle<T>(chosen: readonly T[], value: T): T[] {
  return chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
}
