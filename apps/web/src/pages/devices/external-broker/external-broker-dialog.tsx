import { Button, Modal } from '@mantine/core';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import type { ApiError } from '../../../api/client.ts';
import { useSetExternalBroker } from '../../../api/mutations.ts';
import { openForm, placeIssues, readForm } from './broker-form.ts';
import { BrokerFormFields } from './broker-form-fields.tsx';
import styles from './external-broker.module.css';

export type ExternalBrokerDialogProps = {
  testbedId: string;
  /** null: there is none yet. */
  stored: ExternalBroker | null;
  opened: boolean;
  onClose: () => void;
};

/** Sets the address of a broker that somebody else runs. */
export function ExternalBrokerDialog({ opened, onClose, ...form }: ExternalBrokerDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={560}>
      <div className={styles.dialogHead}>
        <Modal.Title>External broker</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <ExternalBrokerForm {...form} onClose={onClose} />}
    </Modal>
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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (read.ok) save.mutate(read.settings, { onSuccess: onClose });
    else leadToError(event.currentTarget);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <p className={styles.words}>
        A broker that somebody else runs: EMQX, NanoMQ, HiveMQ, RabbitMQ. It is connected to and measured,
        never started, configured or stopped.
      </p>
      <BrokerFormFields
        form={form}
        problems={problems}
        stored={stored}
        onChange={(change) => {
          save.reset();
          setForm((before) => ({ ...before, ...change }));
        }}
      />
      {save.error && <SaveProblem error={save.error} />}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          loading={save.isPending}
          leftSection={<IconDeviceFloppy size={16} stroke={2} aria-hidden />}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

/** Once the errors stand there: the first may be out of sight on a phone. */
function leadToError(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** What stands at no field. */
function SaveProblem({ error }: { error: ApiError }): ReactElement | null {
  return error.problem.issues.length > 0 ? null : <ApiErrorState error={error} lost="Nothing was saved." />;
}
