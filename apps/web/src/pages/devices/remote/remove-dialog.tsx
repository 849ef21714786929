import { Button, Modal, PasswordInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import type { KnownDevice } from '../../../api/client.ts';
import { DangerButton } from '../../../ui/input/danger-button.tsx';
import { Field } from '../../../ui/input/field.tsx';
import { useRemoveDevice } from './device-calls.ts';
import styles from './remote.module.css';
import { useTestbedName } from './use-testbed-name.ts';

type RemoveDialogProps = { opened: boolean; device: KnownDevice; onClose: () => void };

/** What goes with the agent, and the way out for a device that is gone itself. */
export function RemoveDialog({ opened, device, onClose }: RemoveDialogProps): ReactElement {
  const [sudoPassword, setSudoPassword] = useState('');
  const testbedName = useTestbedName(device.testbedId);
  const remove = useRemoveDevice(device.id);
  const begin = (wish: { forget?: boolean; sudoPassword?: string }): void =>
    remove.mutate(wish, { onSuccess: onClose });
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={560}>
      <div className={styles.dialogHead}>
        <Modal.Title>Remove {device.name}</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          begin(sudoPassword === '' ? {} : { sudoPassword });
        }}
      >
        <p className={styles.words}>
          The agent, its user, its files and this server’s key are taken from the device, and results there
          that were not delivered yet. Runs that are stored here stay.
          {device.testbedId !== '' && ` The testbed ${testbedName} lacks its ${device.role} then.`}
        </p>
        <SudoField value={sudoPassword} onChange={setSudoPassword} />
        {remove.error && <ApiErrorState error={remove.error} lost="Nothing was removed." />}
        <div className={styles.buttons}>
          <Button
            variant="subtle"
            loading={remove.isPending}
            onClick={() => begin({ forget: true })}
            title="For a device that cannot be reached any more; what is on it stays there"
          >
            Only forget it here
          </Button>
          <Button variant="default" onClick={onClose}>
            Keep it
          </Button>
          <DangerButton type="submit" loading={remove.isPending}>
            Remove without a trace
          </DangerButton>
        </div>
      </form>
    </Modal>
  );
}

type SudoFieldProps = { value: string; onChange: (value: string) => void };

/** Left empty where sudo does not ask. */
export function SudoField({ value, onChange }: SudoFieldProps): ReactElement {
  return (
    <Field
      label="Password for sudo"
      hint="Only where sudo asks for one; used once, neither stored nor logged."
    >
      {(control) => (
        <PasswordInput
          {...control}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
