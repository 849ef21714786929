import { Button } from '@mantine/core';
import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import {
  type StorageSettings,
  type StorageUsage,
  storageSettingsSchema,
} from '@mqttlab/shared/messages/storage';
import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import { Loaded } from '../../api/loaded.tsx';
import { useApi, useCall } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { type FieldProblem, fieldProblemOf, TextFields } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import styles from './settings-page.module.css';

const gigabyte = 1e9;

/** What takes how much of the disk, and how long series and logs are kept. */
export function StoragePanel(): ReactElement {
  const query = useApi('GET /storage');
  return (
    <Panel flush title="Storage" subtitle="what takes how much, and how long it is kept">
      <Loaded query={query} skeleton={<TableSkeleton rows={4} />} errorClass={styles.inPanel}>
        {(usage) => <Usage usage={usage} />}
      </Loaded>
    </Panel>
  );
}

interface Row {
  key: string;
  what: ReactElement | string;
  bytes: number;
}

const columns: Column<Row>[] = [
  { id: 'what', head: 'In the database', cell: ({ what }) => what },
  { id: 'size', head: 'Size', numeric: true, cell: ({ bytes }) => formatBytes(bytes) },
];

function Usage({ usage }: { usage: StorageUsage }): ReactElement {
  const { parts, experiments, usedBytes, freeBytes, removedRuns, overBudget, settings } = usage;
  const rows: Row[] = [
    ...parts.map(({ what, bytes }) => ({ key: what, what, bytes })),
    ...experiments.map(({ id, name, bytes, keepEverything }) => ({
      key: String(id),
      what: (
        <span className={styles.two}>
          <Link className="link" to={`/experiments/${id}`}>
            {name}
          </Link>
          <span className="second">
            of the above, in this experiment{keepEverything && '; it keeps everything'}
          </span>
        </span>
      ),
      bytes,
    })),
  ];
  const words = [
    `${formatBytes(usedBytes)} in all`,
    ...(freeBytes === null ? [] : [`${formatBytes(freeBytes)} free on the disk`]),
    ...(removedRuns === 0 ? [] : [`series and logs of ${plural(removedRuns, 'run')} removed`]),
  ];
  return (
    <>
      {overBudget !== undefined && (
        <p className={`${styles.words} ${styles.inPanel}`} role="status">
          {overBudget}
        </p>
      )}
      <p className={`${styles.words} ${styles.inPanel}`}>{words.join(', ')}.</p>
      <DataTable label="Storage" columns={columns} rows={rows} rowKey={({ key }) => key} />
      <div className={styles.inPanel}>
        <SettingsForm settings={settings} />
      </div>
    </>
  );
}

function SettingsForm({ settings }: { settings: StorageSettings }): ReactElement {
  const { retentionDays, budgetBytes } = settings;
  const [form, setForm] = useState({
    days: retentionDays === null ? '' : String(retentionDays),
    budget: budgetBytes === null ? '' : String(budgetBytes / gigabyte),
  });
  const save = useCall('PUT /storage/settings', { changes: ['GET /storage', 'GET /experiments'] });
  const [isSubmitted, setSubmitted] = useState(false);
  const read = readStorageForm(form);
  const problems = isSubmitted && !read.ok ? read.problems : {};
  const submit = () => {
    setSubmitted(true);
    if (read.ok) save.mutate({ body: read.settings });
  };
  return (
    <DialogForm
      onSubmit={submit}
      noValidate
      buttons={
        <Button type="submit" variant="default" loading={save.isPending}>
          Save storage settings
        </Button>
      }
    >
      <TextFields
        of={[
          {
            name: 'days',
            label: 'Keep series and logs for, days',
            hint: 'Empty: for ever. Figures, distributions and evidence stay; an experiment can keep everything.',
          },
          { name: 'budget', label: 'Warn above, GB', hint: 'Empty: no warning.' },
        ]}
        form={form}
        problems={{
          days: problems.days ?? fieldProblemOf(save.error, 'retentionDays'),
          budget: problems.budget ?? fieldProblemOf(save.error, 'budgetBytes'),
        }}
        onChange={(change) => setForm((before) => ({ ...before, ...change }))}
      />
    </DialogForm>
  );
}

interface StorageForm {
  days: string;
  budget: string;
}

/** Returns the settings to send, or what is wrong with which field: text that is no number must not mean "no limit". */
export function readStorageForm(
  form: StorageForm,
):
  | { ok: true; settings: StorageSettings }
  | { ok: false; problems: Partial<Record<keyof StorageForm, FieldProblem>> } {
  const numberOf = (text: string) => (text.trim() === '' ? null : Number(text.trim().replace(',', '.')));
  const budget = numberOf(form.budget);
  const read = storageSettingsSchema.safeParse({
    retentionDays: numberOf(form.days),
    budgetBytes: budget === null ? null : Math.round(budget * gigabyte),
  });
  if (read.success) return { ok: true, settings: read.data };
  const fields = read.error.issues.map(({ path }) => path[0]);
  return {
    ok: false,
    problems: {
      ...(fields.includes('retentionDays') && {
        days: { what: 'Not a number of days.', remedy: 'Enter whole days, or leave it empty.' },
      }),
      ...(fields.includes('budgetBytes') && {
        budget: { what: 'Not a number of GB.', remedy: 'Enter for example 20, or leave it empty.' },
      }),
    },
  };
}
