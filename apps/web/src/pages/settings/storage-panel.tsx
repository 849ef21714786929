import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import {
  type StorageSettings,
  type StorageUsage,
  storageSettingsSchema,
} from '@mqttlab/shared/messages/storage';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Loaded } from '../../api/loaded.tsx';
import { useApi } from '../../api/use-api.ts';
import { type PlaceOf, type ReadForm, readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import type { TextSpec } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { SettingsForm } from './settings-form.tsx';
import styles from './settings-page.module.css';

const gigabyte = 1e9;

/** Disk usage, and retention of series and logs. */
export function StoragePanel(): ReactElement {
  const query = useApi('GET /storage');
  return (
    <Panel flush title="Storage" subtitle="disk usage and retention">
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
            of the above, in this experiment{keepEverything && '; it keeps all series and logs'}
          </span>
        </span>
      ),
      bytes,
    })),
  ];
  const words = [
    `${formatBytes(usedBytes)} in total`,
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
        <RetentionForm settings={settings} />
      </div>
    </>
  );
}

function RetentionForm({ settings }: { settings: StorageSettings }): ReactElement {
  const { retentionDays, budgetBytes } = settings;
  const form = useApiForm({
    initial: {
      days: retentionDays === null ? '' : String(retentionDays),
      budget: budgetBytes === null ? '' : String(budgetBytes / gigabyte),
    },
    call: useCall('PUT /storage/settings', { changes: ['GET /storage', 'GET /experiments'] }),
    read: readStorageForm,
    args: (body) => ({ body }),
    placeOf: placeStorage,
  });
  return <SettingsForm form={form} fields={fields} action="Save storage settings" />;
}

type StorageForm = { days: string; budget: string };

const fields: readonly TextSpec<keyof StorageForm>[] = [
  {
    name: 'days',
    label: 'Days to keep series and logs',
    hint: 'Leave empty to keep them forever. Figures, distributions and evidence are never removed. An experiment can be excluded.',
  },
  { name: 'budget', label: 'Warn above, GB', hint: 'Empty: no warning.' },
];

const placeStorage: PlaceOf = ({ field }) =>
  field === 'retentionDays'
    ? {
        field: 'days',
        problem: {
          what: 'Not a number of days.',
          remedy: 'Enter a whole number of days, or leave the field empty.',
        },
      }
    : {
        field: 'budget',
        problem: {
          what: 'Not a number of GB.',
          remedy: 'Enter a number such as 20, or leave the field empty.',
        },
      };

/** Reads the fields. Invalid text must not be read as "no limit". */
export function readStorageForm({ days, budget }: StorageForm): ReadForm<StorageSettings> {
  const numberOf = (text: string) => (text.trim() === '' ? null : Number(text.trim().replace(',', '.')));
  const gigabytes = numberOf(budget);
  const body = {
    retentionDays: numberOf(days),
    budgetBytes: gigabytes === null ? null : Math.round(gigabytes * gigabyte),
  };
  return readWith(storageSettingsSchema, body, placeStorage);
}
