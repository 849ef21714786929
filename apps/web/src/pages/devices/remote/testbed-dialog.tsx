import { Button, Modal, TextInput } from '@mantine/core';
import type { TestbedLink } from '@mqttlab/shared/domain/devices/capabilities';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import type { KnownDevice } from '../../../api/client.ts';
import { Field } from '../../../ui/input/field.tsx';
import { useSaveTestbed } from './device-calls.ts';
import styles from './remote.module.css';
import { linksOf } from './suggest-links.ts';
import { draftLinks, TestbedLinks } from './testbed-links.tsx';
import { assignedRoles, type ChosenDevices, TestbedRoles } from './testbed-roles.tsx';

type TestbedDialogProps = {
  opened: boolean;
  onClose: () => void;
  devices: readonly KnownDevice[];
  /** The one to change; a new one without. */
  testbed?: TestbedStatus;
};

/** Which devices play which role, and which of their interfaces make a link. */
export function TestbedDialog(props: TestbedDialogProps): ReactElement {
  const { opened, onClose, testbed } = props;
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={640}>
      <div className={styles.dialogHead}>
        <Modal.Title>{testbed ? `Change ${testbed.name}` : 'Make a testbed'}</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <TestbedForm {...props} />}
    </Modal>
  );
}

function TestbedForm({ devices, onClose, testbed }: Omit<TestbedDialogProps, 'opened'>): ReactElement {
  const [name, setName] = useState(testbed?.name ?? 'My testbed');
  const [chosen, setChosen] = useState(() => (testbed ? chosenIn(testbed) : usualChoice(devices)));
  /** null: as suggested, for as long as nobody touched them. */
  const [edited, setEdited] = useState(() => (testbed?.links ? draftLinks(testbed.links) : null));
  const save = useSaveTestbed(testbed?.testbedId);
  const assigned = assignedRoles(chosen);
  const members = assigned.flatMap(({ deviceId }) => devices.find(({ id }) => id === deviceId) ?? []);
  const links = edited ?? draftLinks(linksOf(members));
  const ids = new Set(assigned.map(({ deviceId }) => deviceId));
  const submit = (): void =>
    save.mutate(
      { name, links: links.map((link) => onlyOf(ids, link)), devices: assigned },
      { onSuccess: onClose },
    );
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
      <TestbedRoles devices={devices} chosen={chosen} onChange={setChosen} />
      {links.length === 0 && (
        <p className={styles.words}>
          These devices have no link in common that can be guessed: they are offline, or no interface is up on
          all of them.
        </p>
      )}
      <TestbedLinks members={members} links={links} onChange={setEdited} />
      <p className={styles.words}>
        A run binds its sockets to the link it is given, and checks that its traffic went there. Publishers
        and subscribers of a run are divided among the devices of their role.
      </p>
      {save.error && <ApiErrorState error={save.error} lost="Nothing was saved." />}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending} disabled={links.length === 0}>
          {testbed ? 'Save' : 'Make it'}
        </Button>
      </div>
    </form>
  );
}

const nobody: ChosenDevices = { broker: [], publisher: [], bridge: [], 'cloud-broker': [], subscriber: [] };

function usualChoice(devices: readonly KnownDevice[]): ChosenDevices {
  const at = (index: number) => devices.slice(index, index + 1).map(({ id }) => id);
  return { ...nobody, broker: at(0), publisher: at(1), subscriber: at(2) };
}

function chosenIn({ devices }: TestbedStatus): ChosenDevices {
  const byRole = Map.groupBy(devices, ({ role }) => role);
  const ids = [...byRole].map(([role, own]) => [role, own.map(({ deviceId }) => deviceId)] as const);
  return { ...nobody, ...Object.fromEntries(ids) };
}

/** Devices that were taken out again leave nothing behind. */
function onlyOf(ids: ReadonlySet<string>, { name, interfaces }: TestbedLink): TestbedLink {
  const own = Object.entries(interfaces).filter(([id, chosen]) => ids.has(id) && chosen !== '');
  return { name, interfaces: Object.fromEntries(own) };
}
