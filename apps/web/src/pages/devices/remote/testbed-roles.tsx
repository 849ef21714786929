import { MultiSelect, Select } from '@mantine/core';
import { neededRoles, type Role, roles, sharedRoles } from '@mqttlab/shared/domain/devices/device';
import type { ReactElement } from 'react';
import type { KnownDevice } from '../../../api/client.ts';
import { Field } from '../../../ui/input/field.tsx';

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
