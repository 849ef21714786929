import { Button, FileInput, Modal, Select } from '@mantine/core';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { describeGaps, describeIdle, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type MeterUpload, meterQuerySchema } from '@mqttlab/shared/messages/meter';
import { IconFileUpload } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { comparisonEndpoints, keyOf } from '../../api/client.ts';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { roleNames } from '../../live/live-series.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { Field, TextFields, type TextSpec } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ImportProblem } from '../experiments/import-plan-dialog.tsx';
import styles from './run.module.css';

/** Uploads a file recorded by a power meter that is not connected to the testbed. */
export function MeterPanel({ run }: { run: RunDetail }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel title="External power meter" padded>
      <div className={styles.panel}>
        <p className={styles.words}>
          A recording from a power meter (Joulescope, Otii, a logging multimeter) can replace the energy
          reported by a device. The CSV file contains time and power, or time, voltage and current. It is
          aligned by time, and the run is recomputed.
        </p>
        <ActionButton icon={IconFileUpload} onClick={() => setOpen(true)}>
          Upload a CSV
        </ActionButton>
      </div>
      <MeterDialog opened={isOpen} run={run} onClose={() => setOpen(false)} />
    </Panel>
  );
}

type MeterDialogProps = { opened: boolean; run: RunDetail; onClose: () => void };

function MeterDialog({ opened, run, onClose }: MeterDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={560}>
      <div className={styles.head}>
        <Modal.Title>Upload a meter CSV</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <MeterFields run={run} onClose={onClose} />}
    </Modal>
  );
}

function MeterFields({ run, onClose }: Omit<MeterDialogProps, 'opened'>): ReactElement {
  const measured = measuredDevices(run.results);
  const publisher = measured.findIndex(({ role }) => role === 'publisher');
  const send = useCall('POST /runs/{id}/meter', {
    changes: (_upload, { params }) => [keyOf('GET /runs/{id}', { params }), ...comparisonEndpoints],
  });
  const form = useApiForm({
    initial: {
      file: null as File | null,
      measured: String(Math.max(0, publisher)),
      startedAt: '',
      aheadMs: '',
      name: '',
    },
    call: send,
    read: ({ file, measured: index, ...values }) => {
      const { role, device } = measured[Number(index)] ?? { role: 'publisher' as const, device: '' };
      const query = Object.fromEntries(new URLSearchParams(meterQuery({ role, device, ...values })));
      const parsed = readWith(meterQuerySchema, query);
      if (!parsed.ok) return parsed;
      return file === null ? { ok: false, problems: {} } : { ok: true, body: { query, file } };
    },
    args: (body) => ({ params: { id: run.id }, type: 'text/csv', ...body }),
  });
  const { error: _fileProblem, ...fileInput } = form.getInputProps('file');
  const { error: _deviceProblem, ...deviceInput } = form.getInputProps('measured');
  if (send.data) return <Taken taken={send.data} onClose={onClose} />;
  return (
    <form className={styles.meterForm} onSubmit={form.submit} noValidate>
      <Field
        label="CSV file"
        hint="Requires a header line that names the columns time and power, or time, voltage and current."
      >
        {(control) => (
          <FileInput
            {...control}
            data-autofocus
            accept=".csv,.txt,text/csv"
            placeholder="Choose a file"
            {...fileInput}
          />
        )}
      </Field>
      <div className={styles.pair}>
        <Field label="Measured device" hint="The device whose supply was measured.">
          {(control) => (
            <Select
              {...control}
              data={measured.map(({ label }, index) => ({ value: String(index), label }))}
              {...deviceInput}
              allowDeselect={false}
            />
          )}
        </Field>
        <TextFields of={meterFields} form={form} />
      </div>
      {form.error && <ImportProblem error={form.error} />}
      <div className={styles.meterButtons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={form.values.file === null} loading={form.isPending}>
          Add to the run
        </Button>
      </div>
    </form>
  );
}

const meterFields: readonly TextSpec<'name' | 'startedAt' | 'aheadMs'>[] = [
  {
    name: 'name',
    label: 'Name of the meter',
    hint: 'Shown in results.',
    placeholder: 'Joulescope',
    maxLength: 80,
  },
  {
    name: 'startedAt',
    label: 'Time of the first row',
    hint: 'Only needed if times in the file are relative to its start.',
    type: 'datetime-local',
    step: '0.001',
  },
  {
    name: 'aheadMs',
    label: 'Clock offset',
    unit: 'ms',
    hint: 'Positive if the meter’s clock is ahead of this server’s clock.',
    inputMode: 'decimal',
    placeholder: '0',
  },
];

/** Returns devices by role, with their names if several have the same role. */
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
    <div className={styles.meterForm}>
      <p role="status">
        {roleNames[role]} {device}: {formatQuantity(measureJ, 'J')} in the measure phase
        {describeGaps(taken.gaps)}, {describeIdle(taken)}. {samples} samples from {(fromMs / 1000).toFixed(1)}{' '}
        s to {(toMs / 1000).toFixed(1)} s of this phase were stored, and the run was recomputed with them.
      </p>
      <div className={styles.meterButtons}>
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}

interface MeterForm {
  role: Role;
  /** Name of the device, because several devices may have the role. */
  device: string;
  /** Value of a date and time field; empty if the file contains the time. */
  startedAt: string;
  aheadMs: string;
  name: string;
}

/** Returns the query parameters sent with the file. */
export function meterQuery({ role, device, startedAt, aheadMs, name }: MeterForm): string {
  const query = new URLSearchParams({ role, ...(device === '' ? {} : { device }) });
  if (startedAt !== '') query.set('startedAt', String(Date.parse(startedAt)));
  if (aheadMs.trim() !== '') query.set('aheadMs', aheadMs.trim().replace(',', '.'));
  if (name.trim() !== '') query.set('name', name.trim());
  return query.toString();
}
