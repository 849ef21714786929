import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import type { BrokerPorts } from '@mqttlab/shared/domain/devices/broker-ports';
import type { NetworkInterface, TestbedLink, TestbedPool } from '@mqttlab/shared/domain/devices/capabilities';
import { neededRoles, type Role, roles, sharedRoles } from '@mqttlab/shared/domain/devices/device';
import type { Issue } from '@mqttlab/shared/domain/issue';
import { type KnownDevice, type SaveTestbed, saveTestbedSchema } from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconTrash } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { FormError } from '../../../api/api-error-state.tsx';
import {
  type ApiForm,
  atItsField,
  type PlaceOf,
  type ReadForm,
  readWith,
  useApiForm,
} from '../../../api/use-api-form.tsx';
import { useCall } from '../../../api/use-call.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { IconButton } from '../../../ui/input/buttons.tsx';
import { Field, FieldProblemLine, TextFields, type TextSpec } from '../../../ui/input/field.tsx';
import { problemOfField } from '../external/broker-form.ts';
import { deviceChanges } from './device-queries.ts';
import styles from './remote.module.css';
import testbedFieldsStyles from './testbed-fields.module.css';

type TestbedDialogProps = {
  opened: boolean;
  onClose: () => void;
  devices: readonly KnownDevice[];
  /** The testbed to change; absent for a new one. */
  testbed?: TestbedStatus;
};

/** Assigns devices to roles and interfaces to links. */
export function TestbedDialog({ testbed, opened, onClose, devices }: TestbedDialogProps): ReactElement {
  return (
    <Dialog
      title={testbed ? `Change ${testbed.name}` : 'Create a testbed'}
      size={640}
      opened={opened}
      onClose={onClose}
    >
      {testbed ? (
        <ChangeTestbed testbed={testbed} devices={devices} onClose={onClose} />
      ) : (
        <CreateTestbed devices={devices} onClose={onClose} />
      )}
    </Dialog>
  );
}

type CreateTestbedProps = Pick<TestbedDialogProps, 'devices' | 'onClose'>;

function CreateTestbed({ devices, onClose }: CreateTestbedProps): ReactElement {
  const form = useApiForm({
    initial: newTestbed(devices),
    call: useCall('POST /testbeds', deviceChanges),
    read: (values) => readTestbed(values, devices),
    args: (body) => ({ body }),
    placeOf: placeTestbed,
    onDone: onClose,
  });
  return <TestbedFields form={form} devices={devices} action="Create" onClose={onClose} />;
}

function ChangeTestbed(props: CreateTestbedProps & { testbed: TestbedStatus }): ReactElement {
  const { testbed, devices, onClose } = props;
  const form = useApiForm({
    initial: openTestbed(testbed),
    call: useCall('PUT /testbeds/{id}', deviceChanges),
    read: (values) => readTestbed(values, devices),
    args: (body) => ({ params: { id: testbed.testbedId }, body }),
    placeOf: placeTestbed,
    onDone: onClose,
  });
  return <TestbedFields form={form} devices={devices} action="Save" onClose={onClose} />;
}

/** Values of the fields. */
export type TestbedForm = {
  name: string;
  devices: ChosenDevices;
  /** Displayed only; pools are assigned with the command line. */
  pools: readonly TestbedPool[];
  /** null for the suggested links, until they are edited. */
  links: readonly LinkDraft[] | null;
  /** As typed. */
  brokerPorts: Readonly<Record<keyof BrokerPorts, string>>;
};

/** Returns the values of a new testbed, with the first devices in the required roles. */
export function newTestbed(devices: readonly KnownDevice[]): TestbedForm {
  const at = (index: number) => devices.slice(index, index + 1).map(({ id }) => id);
  return {
    name: 'My testbed',
    devices: { ...nobody, broker: at(0), publisher: at(1), subscriber: at(2) },
    pools: [],
    links: null,
    brokerPorts: { first: '', last: '' },
  };
}

function openTestbed(testbed: TestbedStatus): TestbedForm {
  const { name, pools = [], links, brokerPorts } = testbed;
  const [first, last] = [brokerPorts?.first ?? '', brokerPorts?.last ?? ''].map(String) as [string, string];
  return {
    name,
    devices: chosenIn(testbed),
    pools,
    links: links ? draftLinks(links) : null,
    brokerPorts: { first, last },
  };
}

/** Returns the testbed to save, or the problem with each field. */
export function readTestbed(values: TestbedForm, known: readonly KnownDevice[]): ReadForm<SaveTestbed> {
  const { name, pools } = values;
  const devices = assignedRoles(values.devices);
  const ids = new Set([...devices.map(({ deviceId }) => deviceId), ...pools.map(({ pool }) => pool)]);
  const links = shownLinks(values, known).map((link) => onlyOf(ids, link));
  const body = { name, devices, pools, links, brokerPorts: portsOf(values.brokerPorts) };
  return readWith(saveTestbedSchema, body, (issue) => placeTestbed(issue, values));
}

/** Returns null if both fields are empty. Without a last port, the range is only the first port. */
function portsOf({ first, last }: TestbedForm['brokerPorts']): BrokerPorts | null {
  if (first.trim() === '' && last.trim() === '') return null;
  return { first: Number(first), last: Number(last.trim() === '' ? first : last) };
}

/** Devices that have a role. */
function membersOf({ devices }: TestbedForm, known: readonly KnownDevice[]): KnownDevice[] {
  return assignedRoles(devices).flatMap(({ deviceId }) => known.find(({ id }) => id === deviceId) ?? []);
}

function shownLinks(values: TestbedForm, known: readonly KnownDevice[]): readonly LinkDraft[] {
  return values.links ?? draftLinks(linksOf(membersOf(values, known)));
}

/** Shows an issue next to its role, link or port. Issues with pools are shown below the pool names. */
export function placeTestbed(issue: Issue, values: TestbedForm): ReturnType<PlaceOf> {
  const { reason, remedy: serverRemedy } = issue;
  const path = issue.field.replaceAll(/\[(\d+)\]/g, '.$1');
  const [part = '', index = '', , id = ''] = path.split('.');
  const assigned = assignedRoles(values.devices);
  const isDevice = (one: string) => assigned.some(({ deviceId }) => deviceId === one);
  switch (part) {
    case 'name':
      return { field: part, problem: problemOfField(reason, 'Enter a name such as Bench 2.') };
    case 'brokerPorts': {
      const remedy = 'Enter a range such as 18830 to 18839, or leave both fields empty.';
      // An empty last port repeats the first one.
      const field = values.brokerPorts.last.trim() === '' ? 'brokerPorts.first' : path;
      return { field, problem: problemOfField(reason, remedy) };
    }
    case 'devices': {
      const device = assigned[Number.parseInt(index, 10)];
      if (device) {
        const problem = { what: `${device.deviceId}: ${reason}.`, remedy: serverRemedy };
        return { field: `devices.${device.role}`, problem };
      }
      const problem = { what: `This testbed ${reason}.`, remedy: 'Choose another device.' };
      return { field: `devices.${incompleteRole(values)}`, problem };
    }
    case 'links':
      if (id !== '' && !isDevice(id)) {
        return { field: 'pools', problem: { what: `${id}: ${reason}.`, remedy: serverRemedy } };
      }
      return { ...atItsField(issue), field: path };
    default:
      return { ...atItsField(issue), field: 'pools' };
  }
}

/** Returns the required role that has no device, or the role that repeats a device. */
function incompleteRole({ devices, pools }: TestbedForm): Role {
  const empty = neededRoles.find(
    (role) => devices[role].length === 0 && !pools.some((pool) => pool.role === role),
  );
  const assigned = assignedRoles(devices);
  const repeated = assigned.find(
    ({ deviceId }, i) => assigned.findIndex((other) => other.deviceId === deviceId) < i,
  );
  return empty ?? repeated?.role ?? 'broker';
}

type TestbedFieldsProps = {
  form: ApiForm<TestbedForm>;
  devices: readonly KnownDevice[];
  /** Label of the submit button. */
  action: string;
  onClose: () => void;
};

type TextName = 'name' | `brokerPorts.${keyof BrokerPorts}`;

const nameField: readonly TextSpec<TextName>[] = [{ name: 'name', label: 'Name' }];
const anyPort = { inputMode: 'numeric', placeholder: 'any' } as const;
const portFields: readonly TextSpec<TextName>[] = [
  { name: 'brokerPorts.first', label: 'First port', ...anyPort },
  { name: 'brokerPorts.last', label: 'Last port', ...anyPort },
];

function TestbedFields({ form, devices, action, onClose }: TestbedFieldsProps): ReactElement {
  const { pools } = form.values;
  const links = shownLinks(form.values, devices);
  const poolProblem = problemAt(form, 'pools');
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isPending} disabled={links.length === 0}>
            {action}
          </Button>
        </>
      }
    >
      <TextFields form={form} of={nameField} first="name" />
      <TestbedRoles form={form} devices={devices} />
      {pools.length > 0 && (
        <p className={styles.words}>
          Pools: {pools.map(({ pool, role }) => `${pool} (${role})`).join(', ')}. Agents that are online when
          a run starts are included.
        </p>
      )}
      {poolProblem && <FieldProblemLine problem={poolProblem} />}
      {links.length === 0 && (
        <p className={styles.words}>
          No common link was found for these devices. They are offline, or no interface is up on all of them.
        </p>
      )}
      <TestbedLinks form={form} members={membersOf(form.values, devices)} links={links} />
      <fieldset className={testbedFieldsStyles.links}>
        <legend>Broker ports</legend>
        <p className={styles.words}>
          Each run’s broker listens on a free port in this range, which you can open in a firewall. Leave both
          fields empty to use any free port.
        </p>
        <div className={testbedFieldsStyles.ports}>
          <TextFields form={form} of={portFields} />
        </div>
      </fieldset>
      <p className={styles.words}>
        A run binds its sockets to its link and verifies that its traffic used that link. A run’s publishers
        and subscribers are divided among the devices in their role.
      </p>
      <FormError error={form.error} lost="Nothing was saved." />
    </DialogForm>
  );
}

function problemAt({ errors }: ApiForm<TestbedForm>, field: string): ReactElement | undefined {
  return errors[field] as ReactElement | undefined;
}

const nobody: ChosenDevices = { broker: [], publisher: [], bridge: [], 'cloud-broker': [], subscriber: [] };

function chosenIn({ devices }: TestbedStatus): ChosenDevices {
  const named = devices.filter(({ pool }) => pool === undefined);
  const byRole = Map.groupBy(named, ({ role }) => role);
  const ids = [...byRole].map(([role, own]) => [role, own.map(({ deviceId }) => deviceId)] as const);
  return { ...nobody, ...Object.fromEntries(ids) };
}

/** Removes settings of devices that are no longer selected. */
function onlyOf(ids: ReadonlySet<string>, { name, interfaces }: TestbedLink): TestbedLink {
  const own = Object.entries(interfaces).filter(([id, chosen]) => ids.has(id) && chosen !== '');
  return { name, interfaces: Object.fromEntries(own) };
}

/**
 * Returns the links that all of these devices have. They are matched by interface name, or by kind if names
 * differ (eth0 and end0). Loopback is not a link between devices.
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

/** A link that is being edited, whose name may be empty or duplicate. */
interface LinkDraft extends TestbedLink {
  key: string;
}

function draftLinks(links: readonly TestbedLink[]): LinkDraft[] {
  return links.map((link) => ({ ...link, key: link.name }));
}

type TestbedLinksProps = {
  form: ApiForm<TestbedForm>;
  /** Devices that have a role. */
  members: readonly KnownDevice[];
  links: readonly LinkDraft[];
};

/** Named links with the interface of each device. */
function TestbedLinks({ form, members, links }: TestbedLinksProps): ReactElement {
  /** Stores the links and removes the problems below `path`, which do not apply to the new links. */
  const edit = (edited: LinkDraft[], path: string): void => {
    form.setFieldValue('links', edited);
    const others = Object.entries(form.errors).filter(([field]) => !field.startsWith(path));
    form.setErrors(Object.fromEntries(others));
  };
  const change = (path: string, index: number, part: Partial<LinkDraft>): void =>
    edit(
      links.map((link, i) => (i === index ? { ...link, ...part } : link)),
      path,
    );
  return (
    <fieldset className={testbedFieldsStyles.links}>
      <legend>Links</legend>
      {links.map((link, index) => (
        <div key={link.key} className={testbedFieldsStyles.link}>
          <Field label={`Name of link ${index + 1}`} problem={problemAt(form, `links.${index}.name`)}>
            {(control) => (
              <TextInput
                {...control}
                value={link.name}
                onChange={(event) =>
                  change(`links.${index}.name`, index, { name: event.currentTarget.value })
                }
                rightSection={
                  <IconButton
                    icon={IconTrash}
                    label={`Remove link ${link.name}`}
                    onClick={() =>
                      edit(
                        links.filter((_, i) => i !== index),
                        'links.',
                      )
                    }
                  />
                }
              />
            )}
          </Field>
          {members.map((device) => (
            <Field
              key={device.id}
              label={`Interface of ${device.name}`}
              problem={problemAt(form, `links.${index}.interfaces.${device.id}`)}
            >
              {(control) => (
                <Select
                  {...control}
                  size="xs"
                  data={interfaceChoices(device, link.interfaces[device.id])}
                  value={link.interfaces[device.id] ?? null}
                  onChange={(name) =>
                    change(`links.${index}.interfaces.${device.id}`, index, {
                      interfaces: { ...link.interfaces, [device.id]: name ?? '' },
                    })
                  }
                  placeholder="interface"
                  allowDeselect={false}
                />
              )}
            </Field>
          ))}
        </div>
      ))}
      <Button variant="default" size="xs" onClick={() => edit([...links, newLink(links)], 'links.none')}>
        Add a link
      </Button>
    </fieldset>
  );
}

function newLink(links: readonly LinkDraft[]): LinkDraft {
  const free = links
    .map((_, index) => `link-${index + 1}`)
    .find((name) => links.every((link) => link.key !== name));
  const name = free ?? `link-${links.length + 1}`;
  return { key: name, name, interfaces: {} };
}

/**
 * Returns the interfaces that the device reported, without loopback. A selected interface is kept even if the
 * device has not reported it.
 */
function interfaceChoices({ capabilities }: KnownDevice, chosen: string | undefined) {
  const announced = (capabilities?.interfaces ?? []).filter(({ kind }) => kind !== 'loopback');
  const known = announced.map(({ name, kind, address, up }) => ({
    value: name,
    label: `${name}: ${kind}, ${up && address !== '' ? address : 'down'}`,
  }));
  const isKnown = known.some(({ value }) => value === chosen);
  return chosen === undefined || chosen === '' || isKnown
    ? known
    : [...known, { value: chosen, label: chosen }];
}

/** Device ids by role. */
type ChosenDevices = Readonly<Record<Role, readonly string[]>>;

const labels: Readonly<Record<Role, string>> = {
  broker: 'Broker',
  publisher: 'Publishers',
  bridge: 'Bridge (only for trials with a bridge)',
  'cloud-broker': 'Cloud broker (behind the bridge)',
  subscriber: 'Subscribers',
};

const isShared = (role: Role): boolean => sharedRoles.some((shared) => shared === role);
const isNeeded = (role: Role): boolean => neededRoles.some((needed) => needed === role);

type TestbedRolesProps = { form: ApiForm<TestbedForm>; devices: readonly KnownDevice[] };

/** Assigns devices to roles. */
function TestbedRoles({ form, devices }: TestbedRolesProps): ReactNode {
  const data = devices.map(({ id, name }) => ({ value: id, label: name }));
  return roles.map((role) => {
    const chosen = form.values.devices[role];
    const choose = (ids: readonly string[]): void => form.setFieldValue(`devices.${role}`, ids);
    return (
      <Field key={role} label={labels[role]} problem={problemAt(form, `devices.${role}`)}>
        {(control) =>
          isShared(role) ? (
            <MultiSelect
              {...control}
              data={data}
              value={[...chosen]}
              onChange={choose}
              placeholder={chosen.length === 0 ? 'one or more devices' : ''}
            />
          ) : (
            <Select
              {...control}
              data={data}
              value={chosen[0] ?? null}
              onChange={(id) => choose(id === null ? [] : [id])}
              allowDeselect={!isNeeded(role)}
              clearable={!isNeeded(role)}
              placeholder={isNeeded(role) ? '' : 'none'}
            />
          )
        }
      </Field>
    );
  });
}

/** Returns the devices in the order of roles. */
function assignedRoles(chosen: ChosenDevices): { deviceId: string; role: Role }[] {
  return roles.flatMap((role) => chosen[role].map((deviceId) => ({ deviceId, role })));
}
