import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import { type BrokerPorts, brokerPortsSchema } from '@mqttlab/shared/domain/devices/broker-ports';
import type { NetworkInterface, TestbedLink } from '@mqttlab/shared/domain/devices/capabilities';
import { neededRoles, type Role, roles, sharedRoles } from '@mqttlab/shared/domain/devices/device';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconTrash } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { type PlaceOf, type ReadForm, readWith } from '../../../api/use-api-form.tsx';
import { useCall } from '../../../api/use-call.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { IconButton } from '../../../ui/input/buttons.tsx';
import { Field, type FieldProblem } from '../../../ui/input/field.tsx';
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
  /** null: the suggested links, until they are edited. */
  const [edited, setEdited] = useState(() => (testbed?.links ? draftLinks(testbed.links) : null));
  const [ports, setPorts] = useState(() => openPorts(testbed?.brokerPorts));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const create = useCall('POST /testbeds', deviceChanges);
  const update = useCall('PUT /testbeds/{id}', deviceChanges);
  const save = testbed ? update : create;
  const assigned = assignedRoles(chosen);
  const pools = testbed?.pools ?? [];
  const members = assigned.flatMap(({ deviceId }) => devices.find(({ id }) => id === deviceId) ?? []);
  const links = edited ?? draftLinks(linksOf(members));
  const ids = new Set([...assigned.map(({ deviceId }) => deviceId), ...pools.map(({ pool }) => pool)]);
  const readyPorts = readPorts(ports);
  const submit = (): void => {
    setIsSubmitted(true);
    if (!readyPorts.ok) return;
    const brokerPorts = readyPorts.body;
    const body = {
      name,
      links: links.map((link) => onlyOf(ids, link)),
      devices: assigned,
      pools,
      brokerPorts,
    };
    if (testbed) update.mutate({ params: { id: testbed.testbedId }, body }, { onSuccess: onClose });
    else create.mutate({ body }, { onSuccess: onClose });
  };
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
          Pools: {pools.map(({ pool, role }) => `${pool} (${role})`).join(', ')}. Agents that are online when
          a run starts are included.
        </p>
      )}
      {links.length === 0 && (
        <p className={styles.words}>
          No common link was found for these devices: they are offline, or no interface is up on all of them.
        </p>
      )}
      <TestbedLinks members={members} links={links} onChange={setEdited} />
      <BrokerPortFields
        ports={ports}
        problems={isSubmitted && !readyPorts.ok ? readyPorts.problems : {}}
        onChange={setPorts}
      />
      <p className={styles.words}>
        A run binds its sockets to its link and verifies that its traffic used it. Publishers and subscribers
        of a run are divided among the devices of their role.
      </p>
      {save.error && <ApiErrorState error={save.error} lost="Nothing was saved." />}
    </DialogForm>
  );
}

/** The range as typed. */
type PortsDraft = Readonly<Record<keyof BrokerPorts, string>>;

function openPorts(ports: BrokerPorts | undefined): PortsDraft {
  return ports ? { first: String(ports.first), last: String(ports.last) } : { first: '', last: '' };
}

/** Returns the range; null if both fields are empty. Without a last port the range is the first one. */
export function readPorts({ first, last }: PortsDraft): ReadForm<BrokerPorts | null> {
  if (first.trim() === '' && last.trim() === '') return { ok: true, body: null };
  const ports = { first: Number(first), last: Number(last.trim() === '' ? first : last) };
  return readWith(brokerPortsSchema, ports, placePort);
}

const placePort: PlaceOf = ({ field, reason }) => ({
  field,
  problem: {
    what: `This ${reason}.`,
    remedy: 'Enter a range such as 18830 to 18839, or leave both fields empty.',
  },
});

type BrokerPortFieldsProps = {
  ports: PortsDraft;
  problems: Readonly<Record<string, FieldProblem>>;
  onChange: (ports: PortsDraft) => void;
};

/** Range of ports that a firewall allows. */
function BrokerPortFields({ ports, problems, onChange }: BrokerPortFieldsProps): ReactElement {
  const labels = { first: 'First port', last: 'Last port' } as const;
  return (
    <fieldset className={testbedFieldsStyles.links}>
      <legend>Broker ports</legend>
      <p className={styles.words}>
        The broker of each run listens on a free port of this range, which a firewall can allow. Leave both
        fields empty for any free port.
      </p>
      <div className={testbedFieldsStyles.ports}>
        {(['first', 'last'] as const).map((name) => (
          <Field key={name} label={labels[name]} problem={problems[name]}>
            {(control) => (
              <TextInput
                {...control}
                value={ports[name]}
                onChange={(event) => onChange({ ...ports, [name]: event.currentTarget.value })}
                inputMode="numeric"
                placeholder="any"
                autoComplete="off"
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
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

/** Removes settings of devices that are no longer selected. */
function onlyOf(ids: ReadonlySet<string>, { name, interfaces }: TestbedLink): TestbedLink {
  const own = Object.entries(interfaces).filter(([id, chosen]) => ids.has(id) && chosen !== '');
  return { name, interfaces: Object.fromEntries(own) };
}

/**
 * Links that all of these devices have: by interface name, or by kind if names differ (eth0 and
 * end0). Loopback is not a link between devices.
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

/** A link being edited: names may be empty or duplicate. */
interface LinkDraft extends TestbedLink {
  key: string;
}

function draftLinks(links: readonly TestbedLink[]): LinkDraft[] {
  return links.map((link) => ({ ...link, key: link.name }));
}

type TestbedLinksProps = {
  /** Devices that have a role. */
  members: readonly KnownDevice[];
  links: readonly LinkDraft[];
  onChange: (links: LinkDraft[]) => void;
};

/** Named links with the interface of each device. */
function TestbedLinks({ members, links, onChange }: TestbedLinksProps): ReactElement {
  const change = (index: number, part: Partial<LinkDraft>): void =>
    onChange(links.map((link, i) => (i === index ? { ...link, ...part } : link)));
  return (
    <fieldset className={testbedFieldsStyles.links}>
      <legend>Links</legend>
      {links.map((link, index) => (
        <div key={link.key} className={testbedFieldsStyles.link}>
          <Field label={`Name of link ${index + 1}`}>
            {(control) => (
              <TextInput
                {...control}
                value={link.name}
                onChange={(event) => change(index, { name: event.currentTarget.value })}
                rightSection={
                  <IconButton
                    icon={IconTrash}
                    label={`Remove link ${link.name}`}
                    onClick={() => onChange(links.filter((_, i) => i !== index))}
                  />
                }
              />
            )}
          </Field>
          {members.map((device) => (
            <Field key={device.id} label={`Interface of ${device.name}`}>
              {(control) => (
                <Select
                  {...control}
                  size="xs"
                  data={interfaceChoices(device, link.interfaces[device.id])}
                  value={link.interfaces[device.id] ?? null}
                  onChange={(name) =>
                    change(index, { interfaces: { ...link.interfaces, [device.id]: name ?? '' } })
                  }
                  placeholder="interface"
                  allowDeselect={false}
                />
              )}
            </Field>
          ))}
        </div>
      ))}
      <Button variant="default" size="xs" onClick={() => onChange([...links, newLink(links)])}>
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

/** Interfaces that the device reported, without loopback. Keeps a selected interface that it has not reported. */
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

type TestbedRolesProps = {
  devices: readonly KnownDevice[];
  chosen: ChosenDevices;
  onChange: (chosen: ChosenDevices) => void;
};

/** Assigns devices to roles. */
function TestbedRoles({ devices, chosen, onChange }: TestbedRolesProps): ReactElement {
  const data = devices.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      {roles.map((role) => (
        <Field key={role} label={labels[role]}>
          {(control) =>
            isShared(role) ? (
              <MultiSelect
                {...control}
                data={data}
                value={[...chosen[role]]}
                onChange={(ids) => onChange({ ...chosen, [role]: ids })}
                placeholder={chosen[role].length === 0 ? 'one or more devices' : ''}
              />
            ) : (
              <Select
                {...control}
                data={data}
                value={chosen[role][0] ?? null}
                onChange={(id) => onChange({ ...chosen, [role]: id === null ? [] : [id] })}
                allowDeselect={!isNeeded(role)}
                clearable={!isNeeded(role)}
                placeholder={isNeeded(role) ? '' : 'none'}
              />
            )
          }
        </Field>
      ))}
    </>
  );
}

/** In the order of roles. */
function assignedRoles(chosen: ChosenDevices): { deviceId: string; role: Role }[] {
  return roles.flatMap((role) => chosen[role].map((deviceId) => ({ deviceId, role })));
}
