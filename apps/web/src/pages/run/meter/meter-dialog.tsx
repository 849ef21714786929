import { Button, FileInput, Modal, Select, TextInput } from '@mantine/core';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { describeGaps, describeIdle, formatQuantity } from '@mqttlab/shared/format/quantity';
import type { MeterUpload } from '@mqttlab/shared/messages/meter';
import { type ReactElement, useState } from 'react';
import { roleNames } from '../../../live/role-names.ts';
import { Field } from '../../../ui/input/field.tsx';
import { ImportProblem } from '../../experiments/import-problem.tsx';
import styles from './meter.module.css';
import { type MeterForm, useUploadMeter } from './use-upload-meter.ts';

type MeterDialogProps = { opened: boolean; run: RunDetail; onClose: () => void };

export function MeterDialog({ opened, run, onClose }: MeterDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={560}>
      <div className={styles.head}>
        <Modal.Title>Upload the CSV of a meter</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <MeterFields run={run} onClose={onClose} />}
    </Modal>
  );
}

function MeterFields({ run, onClose }: Omit<MeterDialogProps, 'opened'>): ReactElement {
  const measured = measuredDevices(run.results);
  const [file, setFile] = useState<File | null>(null);
  const [form, setForm] = useState<MeterForm>({
    startedAt: '',
    aheadMs: '',
    name: '',
    ...(measured.find(({ role }) => role === 'publisher') ??
      measured[0] ?? { role: 'publisher', device: '' }),
  });
  const send = useUploadMeter(run.id);
  const text = (field: 'startedAt' | 'aheadMs' | 'name') => ({
    value: form[field],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setForm((before) => ({ ...before, [field]: value }));
    },
    autoComplete: 'off',
  });
  if (send.data) return <Taken taken={send.data} onClose={onClose} />;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (file) send.mutate({ file, form });
      }}
    >
      <Field
        label="CSV file"
        hint="With a head line that names the columns: time and power, or time, voltage and current."
      >
        {(control) => (
          <FileInput
            {...control}
            data-autofocus
            accept=".csv,.txt,text/csv"
            placeholder="Choose a file"
            value={file}
            onChange={setFile}
          />
        )}
      </Field>
      <div className={styles.pair}>
        <Field label="Measured device" hint="Whose supply the meter was in.">
          {(control) => (
            <Select
              {...control}
              data={measured.map(({ label }, index) => ({ value: String(index), label }))}
              value={String(
                measured.findIndex(({ role, device }) => role === form.role && device === form.device),
              )}
              onChange={(index) => {
                const chosen = measured[Number(index)];
                if (chosen) setForm((before) => ({ ...before, role: chosen.role, device: chosen.device }));
              }}
              allowDeselect={false}
            />
          )}
        </Field>
        <Field label="Name of the meter" hint="As it will stand in results.">
          {(control) => <TextInput {...control} {...text('name')} placeholder="Joulescope" maxLength={80} />}
        </Field>
        <Field label="Time of the first row" hint="Only where times in the file count from its start.">
          {(control) => <TextInput {...control} {...text('startedAt')} type="datetime-local" step="0.001" />}
        </Field>
        <Field label="Its clock is ahead by" unit="ms" hint="Of that of this server; negative if behind.">
          {(control) => <TextInput {...control} {...text('aheadMs')} inputMode="decimal" placeholder="0" />}
        </Field>
      </div>
      {send.error && <ImportProblem error={send.error} />}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={file === null} loading={send.isPending}>
          Put it beside the run
        </Button>
      </div>
    </form>
  );
}

/** In the order of their roles; named where several played one. */
function measuredDevices(results: RunDetail['results']): { role: Role; device: string; label: string }[] {
  return roles.flatMap((role) => {
    const own = results.filter((result) => result.role === role);
    return own.map(({ device }) => ({
      role,
      device,
      label: own.length === 1 ? roleNames[role] : `${roleNames[role]} ${device}`,
    }));
  });
}

function Taken({ taken, onClose }: { taken: MeterUpload; onClose: () => void }): ReactElement {
  const { role, device, samples, fromMs, toMs, measureJ } = taken;
  return (
    <div className={styles.form}>
      <p role="status">
        {roleNames[role]} {device}: {formatQuantity(measureJ, 'J')} while measuring
        {describeGaps(taken.gaps)}, {describeIdle(taken)}. {samples} samples from {(fromMs / 1000).toFixed(1)}{' '}
        s to {(toMs / 1000).toFixed(1)} s of measuring were kept; the run was computed anew with them.
      </p>
      <div className={styles.buttons}>
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}
