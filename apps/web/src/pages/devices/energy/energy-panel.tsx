import { Button, Select, TextInput } from '@mantine/core';
import type { EnergyCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import type { KnownDevice } from '../../../api/client.ts';
import { Field } from '../../../ui/input/field.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { BlockSkeleton } from '../../../ui/skeletons.tsx';
import { QualityTag } from '../../run/quality-tag.tsx';
import { fieldProblemOf } from '../remote/field-problem-of.ts';
import styles from './energy-panel.module.css';
import { useDeviceSettings, useSaveSettings } from './settings-calls.ts';
import { toForm, toSettings } from './settings-form.ts';

type EnergyPanelProps = { device: KnownDevice; sources: readonly EnergyCapability[] };

/** The energy sources that answer on a device, which of them is used, and what it cannot know itself. */
export function EnergyPanel({ device, sources }: EnergyPanelProps): ReactElement {
  const settings = useDeviceSettings(device.id);
  const used = device.capabilities?.energyChoice ?? sources[0]?.id;
  return (
    <Panel title="Energy" padded>
      {sources.length === 0 ? (
        <p className={styles.words}>
          No source answers: runs tell no energy. Connect an INA sensor, or name a plug below.
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
      {settings.isPending && <BlockSkeleton heightPx={160} />}
      {settings.error && !settings.data && (
        <ApiErrorState error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.data && <SettingsFields device={device} sources={sources} settings={settings.data} />}
    </Panel>
  );
}

type SettingsFieldsProps = EnergyPanelProps & { settings: DeviceSettings };

function SettingsFields({ device, sources, settings }: SettingsFieldsProps): ReactElement {
  const [form, setForm] = useState(() => toForm(settings));
  const save = useSaveSettings(device.id);
  const text = (field: 'meterUrl' | 'supplyVolts' | 'batteryMah') => ({
    value: form[field],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setForm((before) => ({ ...before, [field]: value }));
    },
    autoComplete: 'off',
    spellCheck: false,
  });
  const isChanged = JSON.stringify(form) !== JSON.stringify(toForm(settings));
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(toSettings(form));
      }}
    >
      <Field
        label="Source"
        hint="A chosen one that does not answer fails the run; no other takes its place."
        problem={fieldProblemOf(save.error, 'energySource')}
      >
        {(control) => (
          <Select
            {...control}
            data={optionsOf(sources, settings.energySource)}
            value={form.energySource}
            onChange={(id) => setForm((before) => ({ ...before, energySource: id ?? '' }))}
            allowDeselect={false}
          />
        )}
      </Field>
      <Field
        label="Plug or meter"
        hint="Address of a Shelly or Tasmota plug that feeds it, or of the topic it publishes on."
        problem={fieldProblemOf(save.error, 'meterUrl')}
      >
        {(control) => (
          <TextInput {...control} {...text('meterUrl')} placeholder="http://192.168.1.7" inputMode="url" />
        )}
      </Field>
      <div className={styles.pair}>
        <Field
          label="Supply"
          unit="V"
          hint="For mAh; 5 if empty."
          problem={fieldProblemOf(save.error, 'supplyVolts')}
        >
          {(control) => (
            <TextInput {...control} {...text('supplyVolts')} inputMode="decimal" placeholder="5" />
          )}
        </Field>
        <Field
          label="Battery"
          unit="mAh"
          hint="For battery life."
          problem={fieldProblemOf(save.error, 'batteryMah')}
        >
          {(control) => (
            <TextInput {...control} {...text('batteryMah')} inputMode="decimal" placeholder="10000" />
          )}
        </Field>
      </div>
      {save.error && save.error.problem.issues.length === 0 && (
        <ApiErrorState error={save.error} lost="Nothing was saved." />
      )}
      <div className={styles.buttons}>
        <Button type="submit" size="xs" loading={save.isPending} disabled={!isChanged}>
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
    { value: '', label: 'The best that answers' },
    ...known,
    ...(isGone ? [{ value: chosen, label: `${chosen} (does not answer)` }] : []),
  ];
}
