import { sharedRoles } from '@mqttlab/shared/domain/devices/device';
import { type ExternalDevice, externalDeviceSchema } from '@mqttlab/shared/domain/devices/external-device';
import { issuesOf } from '@mqttlab/shared/domain/issue';
import { type ReactElement, useState } from 'react';
import { FormError } from '../../../api/api-error-state.tsx';
import { useSetExternalDevice } from '../../../api/mutations.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { type FieldProblem, TextFields, type TextSpec } from '../../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { problemOfField } from './broker-form.ts';
import styles from './external.module.css';
import { SaveButtons } from './external-part.tsx';

type ExternalDeviceDialogProps = {
  testbedId: string;
  /** null: there is none yet. */
  stored: ExternalDevice | null;
  opened: boolean;
  onClose: () => void;
};

/** Names a device without an agent, its role, and the ports that it finds the broker on. */
export function ExternalDeviceDialog({ opened, onClose, ...form }: ExternalDeviceDialogProps): ReactElement {
  return (
    <Dialog title="External device" size={560} opened={opened} onClose={onClose}>
      <ExternalDeviceForm {...form} onClose={onClose} />
    </Dialog>
  );
}

type Name = 'name' | 'port' | 'tlsPort' | 'waitSeconds';

const number = { inputMode: 'numeric' } as const;
const named: readonly TextSpec<Name>[] = [
  { name: 'name', label: 'Name', hint: 'Its MQTT user name as well.', placeholder: 'node-3' },
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
  name: 'Enter for example node-3.',
  port: 'Enter for example 1883.',
  tlsPort: 'Enter for example 8883.',
  waitSeconds: 'Enter for example 60.',
};

function ExternalDeviceForm(props: Omit<ExternalDeviceDialogProps, 'opened'>): ReactElement {
  const { testbedId, stored, onClose } = props;
  const [form, setForm] = useState(() => ({
    name: stored?.name ?? '',
    port: String(stored?.port ?? 1883),
    tlsPort: String(stored?.tlsPort ?? 8883),
    waitSeconds: String(stored?.waitSeconds ?? 60),
  }));
  const [role, setRole] = useState(stored?.role ?? 'publisher');
  const [roundTrip, setRoundTrip] = useState(stored?.roundTrip ?? true);
  const [isSubmitted, setSubmitted] = useState(false);
  const save = useSetExternalDevice(testbedId);
  const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
  const read = externalDeviceSchema.safeParse({
    name: form.name,
    port: numberOf(form.port),
    tlsPort: numberOf(form.tlsPort),
    waitSeconds: numberOf(form.waitSeconds),
    role,
    roundTrip,
  });
  const issues = isSubmitted && !read.success ? issuesOf(read.error) : (save.error?.problem.issues ?? []);
  const problems: Partial<Record<Name, FieldProblem>> = Object.fromEntries(
    issues.map(({ field, reason }) => [field, problemOfField(reason, remedies[field])]),
  );
  const submit = (): void => {
    setSubmitted(true);
    if (read.success) save.mutate(read.data, { onSuccess: onClose });
  };
  const text = {
    form,
    problems,
    onChange: (change: Partial<typeof form>): void => {
      save.reset();
      setForm((before) => ({ ...before, ...change }));
    },
  };
  return (
    <DialogForm
      onSubmit={submit}
      noValidate
      buttons={<SaveButtons isPending={save.isPending} onCancel={onClose} />}
    >
      <p className={styles.words}>
        A device that cannot run the agent. The broker of a run waits for it on these ports, without TLS on
        the first and with TLS on the second; then it sends what the run asks for, or receives it.
      </p>
      <TextFields {...text} of={named} first="name" />
      <div className={`${styles.triple} ${styles.stacked}`}>
        <TextFields {...text} of={numbers} />
      </div>
      <div className={styles.group}>
        <span className={styles.legend}>Role</span>
        <SegmentedSwitch label="Role" value={role} options={roles} onChange={setRole} />
        {role === 'subscriber' && (
          <span className={styles.hint}>
            The device sends back what it receives. That is counted, and timed by the publisher’s clock.
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
            onChange={(way) => setRoundTrip(way === 'round')}
          />
          <span className={styles.hint}>
            {roundTrip
              ? 'The device also receives what it sends, and times it by its own clock. Receiving costs it energy.'
              : 'The clock of the device is compared over MQTT. One-way latency is shown only where that is precise enough.'}
          </span>
        </div>
      )}
      <FormError error={save.error} lost="Nothing was saved." />
    </DialogForm>
  );
}
