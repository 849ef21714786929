import { Button, Select } from '@mantine/core';
import type { EnergyCapability } from '@mqttlab/shared/domain/devices/capabilities';
import { type DeviceSettings, deviceSettingsSchema } from '@mqttlab/shared/messages/device-settings';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import type { ReactElement } from 'react';
import { FormError } from '../../api/api-error-state.tsx';
import { keyOf } from '../../api/client.ts';
import { Loaded } from '../../api/loaded.tsx';
import { useApi } from '../../api/use-api.ts';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { QualityTag } from '../../ui/facts.tsx';
import { Field, TextFields, type TextSpec } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { BlockSkeleton } from '../../ui/skeletons.tsx';
import styles from './energy-panel.module.css';

/** Returns the text of the fields; empty if not set. */
export function toForm({ energySource, meterUrl, supplyVolts, batteryMah }: DeviceSettings) {
  return {
    energySource: energySource ?? '',
    meterUrl: meterUrl ?? '',
    supplyVolts: supplyVolts === null ? '' : String(supplyVolts),
    batteryMah: batteryMah === null ? '' : String(batteryMah),
  };
}

/**
 * Converts text to a number. Text that is not a number is returned unchanged, so that the schema reports the
 * field.
 */
export function toSettings(
  form: ReturnType<typeof toForm>,
): Record<keyof DeviceSettings, string | number | null> {
  return {
    energySource: form.energySource || null,
    meterUrl: form.meterUrl.trim() || null,
    supplyVolts: toNumber(form.supplyVolts),
    batteryMah: toNumber(form.batteryMah),
  };
}

function toNumber(text: string): number | string | null {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return null;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

type EnergyPanelProps = { device: KnownDevice; sources: readonly EnergyCapability[] };

/** Energy sources of a device, the selected source, and settings that cannot be detected. */
export function EnergyPanel({ device, sources }: EnergyPanelProps): ReactElement {
  const settings = useApi('GET /devices/{id}/settings', { params: { id: device.id } });
  const used = device.capabilities?.energyChoice ?? sources[0]?.id;
  return (
    <Panel title="Energy" padded>
      {sources.length === 0 ? (
        <p className={styles.words}>
          No energy source responds, so energy is not measured. Connect an INA sensor, or enter a plug below.
        </p>
      ) : (
        <ul className={styles.sources} aria-label="Energy sources">
          {sources.map(({ id, label, quality, detail }) => (
            <li key={id}>
              <span>
                {label} <QualityTag quality={quality} /> {id === used && <b>used</b>}
              </span>
              <span className={styles.detail}>{detail}</span>
            </li>
          ))}
        </ul>
      )}
      <Loaded query={settings} skeleton={<BlockSkeleton heightPx={160} />}>
        {(data) => <SettingsFields device={device} sources={sources} settings={data} />}
      </Loaded>
    </Panel>
  );
}

type TextName = Exclude<keyof DeviceSettings, 'energySource'>;

const meter: readonly TextSpec<TextName>[] = [
  {
    name: 'meterUrl',
    label: 'Plug or meter',
    hint: 'Address of the Shelly or Tasmota plug that powers the device, or its MQTT topic.',
    placeholder: 'http://192.168.1.7',
    inputMode: 'url',
  },
];
const figures: readonly TextSpec<TextName>[] = [
  {
    name: 'supplyVolts',
    label: 'Supply',
    unit: 'V',
    hint: 'For mAh; 5 if empty.',
    inputMode: 'decimal',
    placeholder: '5',
  },
  {
    name: 'batteryMah',
    label: 'Battery',
    unit: 'mAh',
    hint: 'For battery life.',
    inputMode: 'decimal',
    placeholder: '10000',
  },
];

function SettingsFields(props: EnergyPanelProps & { settings: DeviceSettings }): ReactElement {
  const { device, sources, settings } = props;
  const form = useApiForm({
    initial: toForm(settings),
    call: useCall('PUT /devices/{id}/settings', {
      // The agent reconnects with the new settings; the next device list contains the detected sources.
      changes: (saved, { params }, client) => {
        client.setQueryData(keyOf('GET /devices/{id}/settings', { params }), saved);
        return [];
      },
    }),
    read: (values) => readWith(deviceSettingsSchema, toSettings(values)),
    args: (body) => ({ params: { id: device.id }, body }),
  });
  const isChanged = JSON.stringify(form.values) !== JSON.stringify(toForm(settings));
  const { error: problem, ...source } = form.getInputProps('energySource');
  return (
    <form className={styles.form} onSubmit={form.submit}>
      <Field
        label="Source"
        hint="If the chosen source does not respond, the run fails. No other source replaces it."
        problem={problem}
      >
        {(control) => (
          <Select
            {...source}
            {...control}
            data={optionsOf(sources, settings.energySource)}
            allowDeselect={false}
          />
        )}
      </Field>
      <TextFields form={form} of={meter} />
      <div className={styles.pair}>
        <TextFields form={form} of={figures} />
      </div>
      <FormError error={form.error} lost="Nothing was saved." />
      <div className={styles.buttons}>
        <Button type="submit" size="xs" loading={form.isPending} disabled={!isChanged}>
          Save
        </Button>
      </div>
    </form>
  );
}

function optionsOf(sources: readonly EnergyCapability[], chosen: string | null) {
  const known = sources.map(({ id, label, quality }) => ({ value: id, label: `${label} (${quality})` }));
  const isGone = chosen !== null && !sources.some(({ id }) => id === chosen);
  return [
    { value: '', label: 'Best available' },
    ...known,
    ...(isGone ? [{ value: chosen, label: `${chosen} (not responding)` }] : []),
  ];
}
