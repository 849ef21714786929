import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import type { TestbedLink } from '@mqttlab/shared/domain/devices/capabilities';
import { neededRoles, type Role, roles, sharedRoles } from '@mqttlab/shared/domain/devices/device';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import { IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { IconButton } from '../../../ui/input/buttons.tsx';
import { Field } from '../../../ui/input/field.tsx';
import styles from './testbed-fields.module.css';

/** A link while it is being edited: names may be empty or equal meanwhile. */
interface LinkDraft extends TestbedLink {
  key: string;
}

export function draftLinks(links: readonly TestbedLink[]): LinkDraft[] {
  return links.map((link) => ({ ...link, key: link.name }));
}

type TestbedLinksProps = {
  /** Those that play a role. */
  members: readonly KnownDevice[];
  links: readonly LinkDraft[];
  onChange: (links: LinkDraft[]) => void;
};

/** Named paths: for each of them the interface that each device uses. */
export function TestbedLinks({ members, links, onChange }: TestbedLinksProps): ReactElement {
  const change = (index: number, part: Partial<LinkDraft>): void =>
    onChange(links.map((link, i) => (i === index ? { ...link, ...part } : link)));
  return (
    <fieldset className={styles.links}>
      <legend>Links</legend>
      {links.map((link, index) => (
        <div key={link.key} className={styles.link}>
          <Field label={`Link ${index + 1} is called`}>
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
            <Field key={device.id} label={`${device.name} uses`}>
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

/** What the device announced; loopback joins nothing. A choice that it has not announced stays. */
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

/** Ids of the devices in each role. */
export type ChosenDevices = Readonly<Record<Role, readonly string[]>>;

const labels: Readonly<Record<Role, string>> = {
  broker: 'Broker',
  publisher: 'Publishers',
  bridge: 'Bridge (only for Trials with one)',
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

/** Which devices play which role. */
export function TestbedRoles({ devices, chosen, onChange }: TestbedRolesProps): ReactElement {
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
                placeholder={chosen[role].length === 0 ? 'one or several devices' : ''}
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
export function assignedRoles(chosen: ChosenDevices): { deviceId: string; role: Role }[] {
  return roles.flatMap((role) => chosen[role].map((deviceId) => ({ deviceId, role })));
}
