import { Button, TextInput } from '@mantine/core';
import type { NetworkInterface, TestbedLink } from '@mqttlab/shared/domain/devices/capabilities';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/input/field.tsx';
import { useSaveTestbed } from './device-calls.ts';
import styles from './remote.module.css';
import {
  assignedRoles,
  type ChosenDevices,
  draftLinks,
  TestbedLinks,
  TestbedRoles,
} from './testbed-fields.tsx';

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
    <Dialog
      title={testbed ? `Change ${testbed.name}` : 'Create a testbed'}
      size={640}
      opened={opened}
      onClose={onClose}
    >
      <TestbedForm {...props} />
    </Dialog>
  );
}

function TestbedForm({ devices, onClose, testbed }: Omit<TestbedDialogProps, 'opened'>): ReactElement {
  const [name, setName] = useState(testbed?.name ?? 'My testbed');
  const [chosen, setChosen] = useState(() => (testbed ? chosenIn(testbed) : usualChoice(devices)));
  /** null: as suggested, for as long as nobody touched them. */
  const [edited, setEdited] = useState(() => (testbed?.links ? draftLinks(testbed.links) : null));
  const save = useSaveTestbed(testbed?.testbedId);
  const assigned = assignedRoles(chosen);
  const pools = testbed?.pools ?? [];
  const members = assigned.flatMap(({ deviceId }) => devices.find(({ id }) => id === deviceId) ?? []);
  const links = edited ?? draftLinks(linksOf(members));
  const ids = new Set([...assigned.map(({ deviceId }) => deviceId), ...pools.map(({ pool }) => pool)]);
  const submit = (): void =>
    save.mutate(
      { name, links: links.map((link) => onlyOf(ids, link)), devices: assigned, pools },
      { onSuccess: onClose },
    );
  return (
    <DialogForm
      onSubmit={submit}
      buttons={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={links.length === 0}>
            {testbed ? 'Save' : 'Create'}
          </Button>
        </>
      }
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
      {pools.length > 0 && (
        <p className={styles.words}>
          Pools: {pools.map(({ pool, role }) => `${pool} (${role})`).join(', ')}. Who is online in one when a
          run begins takes part.
        </p>
      )}
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
    </DialogForm>
  );
}

const nobody: ChosenDevices = { broker: [], publisher: [], bridge: [], 'cloud-broker': [], subscriber: [] };

function usualChoice(devices: readonly KnownDevice[]): ChosenDevices {
  const at = (index: number) => devices.slice(index, index + 1).map(({ id }) => id);
  return { ...nobody, broker: at(0), publisher: at(1), subscriber: at(2) };
}

function chosenIn({ devices }: TestbedStatus): ChosenDevices {
  const named = devices.filter(({ pool }) => pool === undefined);
  const byRole = Map.groupBy(named, ({ role }) => role);
  const ids = [...byRole].map(([role, own]) => [role, own.map(({ deviceId }) => deviceId)] as const);
  return { ...nobody, ...Object.fromEntries(ids) };
}

/** Devices that were taken out again leave nothing behind. */
function onlyOf(ids: ReadonlySet<string>, { name, interfaces }: TestbedLink): TestbedLink {
  const own = Object.entries(interfaces).filter(([id, chosen]) => ids.has(id) && chosen !== '');
  return { name, interfaces: Object.fromEntries(own) };
}

/**
 * Links that all of these devices have: by the name of the interface, or by its kind where names differ (eth0 here,
 * end0 there). Loopback joins nothing.
 */
export function linksOf(devices: readonly KnownDevice[]): TestbedLink[] {
  const [first, ...rest] = devices;
  if (!first || rest.length === 0) return [];
  return usable(first).flatMap((own) => {
    const others = rest.map((device) => ({ device, found: counterpart(own, usable(device)) }));
    if (others.some(({ found }) => found === undefined)) return [];
    const sameName = others.every(({ found }) => found?.name === own.name);
    const interfaces = { [first.id]: own.name };
    for (const { device, found } of others) interfaces[device.id] = found?.name ?? '';
    return [{ name: sameName ? own.name : own.kind, interfaces }];
  });
}

function usable({ capabilities }: KnownDevice): NetworkInterface[] {
  return (capabilities?.interfaces ?? []).filter(
    ({ kind, up, address }) => kind !== 'loopback' && up && address !== '',
  );
}

function counterpart(
  own: NetworkInterface,
  others: readonly NetworkInterface[],
): NetworkInterface | undefined {
  const byKind = others.filter(({ kind }) => kind === own.kind && kind !== 'virtual');
  return others.find(({ name }) => name === own.name) ?? (byKind.length === 1 ? byKind[0] : undefined);
}
