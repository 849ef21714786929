import { Button, Modal, Select, TextInput } from '@mantine/core';
import { neededRoles, type Role, roles } from '@mqttlab/shared/domain/device';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import type { KnownDevice } from '../../api/client.ts';
import { Field } from '../../ui/field.tsx';
import { useSaveTestbed } from './device-calls.ts';
import styles from './remote.module.css';
import { linksOf } from './suggest-links.ts';

type TestbedDialogProps = { opened: boolean; onClose: () => void; devices: readonly KnownDevice[] };

const labels: Readonly<Record<Role, string>> = {
  broker: 'Broker',
  publisher: 'Publisher',
  bridge: 'Bridge (only for Trials with one)',
  'cloud-broker': 'Cloud broker (behind the bridge)',
  subscriber: 'Subscriber',
};

const isNeeded = (role: Role): boolean => neededRoles.some((needed) => needed === role);

/** Which device plays which role; links are the interfaces of the same name on all of them. */
export function TestbedDialog({ opened, onClose, devices }: TestbedDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={560}>
      <div className={styles.dialogHead}>
        <Modal.Title>Make a testbed</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <TestbedForm devices={devices} onClose={onClose} />}
    </Modal>
  );
}

function TestbedForm({ devices, onClose }: Omit<TestbedDialogProps, 'opened'>): ReactElement {
  const [name, setName] = useState('My testbed');
  const [chosen, setChosen] = useState<Record<Role, string | null>>(() => ({
    broker: devices[0]?.id ?? null,
    publisher: devices[1]?.id ?? null,
    bridge: null,
    'cloud-broker': null,
    subscriber: devices[2]?.id ?? null,
  }));
  const save = useSaveTestbed();
  const members = roles.flatMap((role) => devices.find(({ id }) => id === chosen[role]) ?? []);
  const links = linksOf(members);
  const assigned = roles.flatMap((role) => {
    const deviceId = chosen[role];
    return deviceId === null && !isNeeded(role) ? [] : [{ role, deviceId: deviceId ?? '' }];
  });
  const submit = (): void => save.mutate({ name, links, devices: assigned }, { onSuccess: onClose });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label="Name">
        {(control) => (
          <TextInput
            {...control}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
        )}
      </Field>
      {roles.map((role) => (
        <Field key={role} label={labels[role]}>
          {(control) => (
            <Select
              {...control}
              data={devices.map(({ id, name: label }) => ({ value: id, label }))}
              value={chosen[role]}
              onChange={(id) => setChosen((before) => ({ ...before, [role]: id }))}
              allowDeselect={!isNeeded(role)}
              clearable={!isNeeded(role)}
              placeholder={isNeeded(role) ? '' : 'none'}
            />
          )}
        </Field>
      ))}
      <p className={styles.words}>
        {links.length === 0
          ? 'These devices have no link in common: they are offline, or no interface is up on all three.'
          : `Links: ${links.map((link) => link.name).join(', ')}. A run binds its sockets to the link it is given.`}
      </p>
      {save.error && <ApiErrorState error={save.error} lost="Nothing was saved." />}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending} disabled={links.length === 0}>
          Make it
        </Button>
      </div>
    </form>
  );
}
