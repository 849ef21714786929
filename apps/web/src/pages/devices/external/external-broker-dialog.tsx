import { PasswordInput, Textarea } from '@mantine/core';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import { mqttVersions } from '@mqttlab/shared/domain/plans/trial-spec';
import { type ReactElement, useState } from 'react';
import { FormError } from '../../../api/api-error-state.tsx';
import { useSetExternalBroker } from '../../../api/mutations.ts';
import { Chip, ChipGroup } from '../../../ui/chip.tsx';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { Field, FieldProblemLine, TextFields, type TextSpec } from '../../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { type BrokerForm, type FormProblems, openForm, placeIssues, readForm } from './broker-form.ts';
import styles from './external.module.css';
import { SaveButtons } from './external-part.tsx';

type ExternalBrokerDialogProps = {
  testbedId: string;
  /** null: there is none yet. */
  stored: ExternalBroker | null;
  opened: boolean;
  onClose: () => void;
};

/** Sets the address of a broker that somebody else runs. */
export function ExternalBrokerDialog({ opened, onClose, ...form }: ExternalBrokerDialogProps): ReactElement {
  return (
    <Dialog title="External broker" size={560} opened={opened} onClose={onClose}>
      <ExternalBrokerForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function ExternalBrokerForm(props: Omit<ExternalBrokerDialogProps, 'opened'>): ReactElement {
  const { testbedId, stored, onClose } = props;
  const [form, setForm] = useState(() => openForm(stored));
  const [isSubmitted, setSubmitted] = useState(false);
  const save = useSetExternalBroker(testbedId);
  const read = readForm(form);
  const told = placeIssues(save.error?.problem.issues ?? []);
  const problems = isSubmitted && !read.ok ? read.problems : told;
  const submit = (element: HTMLFormElement) => {
    setSubmitted(true);
    if (read.ok) save.mutate(read.settings, { onSuccess: onClose });
    else leadToError(element);
  };
  const change = (part: Partial<BrokerForm>) => {
    save.reset();
    setForm((before) => ({ ...before, ...part }));
  };
  return (
    <DialogForm
      onSubmit={submit}
      noValidate
      buttons={<SaveButtons isPending={save.isPending} onCancel={onClose} />}
    >
      <p className={styles.words}>
        A broker that mqttlab does not run: EMQX, NanoMQ, HiveMQ, RabbitMQ. mqttlab connects to it and
        measures it, but never starts, configures or stops it.
      </p>
      <BrokerFormFields form={form} problems={problems} stored={stored} onChange={change} />
      <FormError error={save.error} lost="Nothing was saved." />
    </DialogForm>
  );
}

/** Once the errors stand there: the first may be out of sight on a phone. */
function leadToError(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

type BrokerFormFieldsProps = {
  form: BrokerForm;
  problems: FormProblems;
  stored: ExternalBroker | null;
  onChange: (change: Partial<BrokerForm>) => void;
};

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
    hint: 'The file name of the program, such as beam.smp of RabbitMQ and EMQX, or nanomq.',
  },
  unit: { name: 'sampledName', label: 'Unit', hint: 'The systemd unit, such as rabbitmq-server.service.' },
};

function BrokerFormFields({ form, problems, stored, onChange }: BrokerFormFieldsProps): ReactElement {
  const text = { form, problems, onChange };
  const serverName: TextSpec<TextName> = {
    name: 'serverName',
    label: 'Name in its certificate',
    hint: 'Leave empty if the certificate contains the address.',
    placeholder: form.address,
  };
  return (
    <>
      <div className={styles.pair}>
        <TextFields {...text} of={names} first="label" />
      </div>
      <div className={styles.triple}>
        <TextFields {...text} of={ports} />
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
        <TextFields {...text} of={user} />
        <Field label="Password" problem={problems.password}>
          {(control) => (
            <PasswordInput
              {...control}
              value={form.password}
              onChange={(event) => onChange({ password: event.currentTarget.value })}
              autoComplete="new-password"
              spellCheck={false}
              placeholder={stored?.hasPassword ? 'unchanged' : 'none'}
            />
          )}
        </Field>
      </div>
      {form.tlsPort.trim() !== '' && (
        <>
          <TextFields {...text} of={[serverName]} />
          <Field
            label="Certificate of its authority"
            hint="PEM; only this authority is trusted. Leave empty for the testbed’s own."
            problem={problems.authority}
          >
            {(control) => (
              <Textarea
                {...control}
                value={form.authority}
                onChange={(event) => onChange({ authority: event.currentTarget.value })}
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
          value={form.sampled}
          options={[
            { value: 'nothing', label: 'No process' },
            { value: 'process', label: 'A process' },
            { value: 'unit', label: 'A systemd unit' },
          ]}
          onChange={(sampled) => onChange({ sampled })}
        />
        {form.sampled === 'nothing' ? (
          <span className={styles.hint}>CPU and memory of the broker are not measured.</span>
        ) : (
          <TextFields {...text} of={[sampledNames[form.sampled]]} />
        )}
      </div>
    </>
  );
}

function toggle<T>(chosen: readonly T[], value: T): T[] {
  return chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
}
