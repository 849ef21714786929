import { TextInput } from '@mantine/core';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import {
  makeMetricsReference,
  quantityWords,
  type ReferenceEntry,
  resolutionWords,
} from '@mqttlab/shared/catalogue/metrics-reference';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import styles from './metrics-page.module.css';

/** All metrics of the catalogue with definition, source and known bias. */
export function MetricsPage(): ReactElement {
  const { hash } = useLocation();
  const [search, setSearch] = useState('');
  const groups = useMemo(() => makeMetricsReference(metrics.filter((one) => fits(one, search))), [search]);
  useEffect(() => {
    document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView({ block: 'center' });
  }, [hash]);
  return (
    <Page title="Metrics">
      <TextInput
        className={styles.search ?? ''}
        aria-label="Search metrics"
        placeholder="Name, id, unit or words from the definition"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {groups.length === 0 && <p role="status">No metrics found.</p>}
      {groups.map(({ group, label, entries }) => (
        <Panel key={group} title={label} padded>
          {entries.map((entry) => (
            <Entry key={entry.metrics[0]?.id} entry={entry} label={label} marked={hash.slice(1)} />
          ))}
        </Panel>
      ))}
    </Page>
  );
}

type EntryProps = { entry: ReferenceEntry; label: string; marked: string };

function Entry({ entry, label, marked }: EntryProps): ReactElement {
  const { source, bias, metrics: alike } = entry;
  return (
    <div className={styles.entry}>
      <DataTable
        label={`${label}: ${alike[0]?.label}${alike.length > 1 ? ' and others' : ''}`}
        density="dense"
        columns={columnsFor(marked)}
        rows={alike}
        rowKey={({ id }) => id}
      />
      <dl className={styles.facts}>
        <dt>Source</dt>
        <dd>{source}</dd>
        <dt>Known bias</dt>
        <dd>{bias ?? 'None known.'}</dd>
      </dl>
    </div>
  );
}

function columnsFor(marked: string): readonly Column<MetricDefinition>[] {
  return [
    {
      id: 'metric',
      head: 'Metric',
      cell: ({ id, label }) => (
        <span id={id} className={id === marked ? styles.marked : undefined}>
          {label}
        </span>
      ),
    },
    { id: 'id', head: 'Id', cell: ({ id }) => <span className="mono">{id}</span>, hideOnPhone: true },
    { id: 'unit', head: 'Unit', cell: ({ unit }) => unit },
    {
      id: 'kind',
      head: 'Kind',
      cell: ({ quantity }) => <span title={quantityWords[quantity]}>{quantity}</span>,
      hideOnPhone: true,
    },
    {
      id: 'resolution',
      head: 'Resolution',
      cell: (metric) => <span className="mono">{resolutionWords(metric)}</span>,
      hideOnPhone: true,
    },
    { id: 'help', head: 'Definition', cell: ({ help }) => <span className={styles.help}>{help}</span> },
  ];
}

function fits({ id, label, unit, help }: MetricDefinition, search: string): boolean {
  const text = `${id} ${label} ${unit} ${help}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
