import { Switch } from '@mantine/core';
import { environmentNotice, environmentRows } from '@mqttlab/shared/analysis/environment';
import { type ParameterRow, parameterRows } from '@mqttlab/shared/analysis/parameters';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Panel, ScrollRegion } from '../../ui/panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import styles from './compare.module.css';
import type { ComparisonViewModel } from './comparison-view-model.ts';

type ParametersPanelProps = { model: ComparisonViewModel; all: boolean; onChange(all: boolean): void };

/** Requested parameters of the treatments side by side; by default, only differences. */
export function ParametersPanel({ model, all, onChange }: ParametersPanelProps): ReactElement {
  const rows = parameterRows(model.shown);
  const differing = rows.filter((row) => row.differs);
  const shown = all ? rows : differing;
  return (
    <Panel
      title="Parameters"
      subtitle={`${differing.length} of ${rows.length} differ`}
      flush
      actions={
        <Switch
          label="Differences only"
          labelPosition="left"
          size="sm"
          checked={!all}
          onChange={(event) => onChange(!event.currentTarget.checked)}
        />
      }
    >
      {shown.length === 0 ? (
        <EmptyState sentence="These treatments have the same parameters." />
      ) : (
        <TreatmentTable label="Parameters of the treatments" head="Parameter" model={model} rows={shown} />
      )}
    </Panel>
  );
}

type EnvironmentPanelProps = { model: ComparisonViewModel };

/** Environment of the treatments side by side; hidden if no device reported it. */
export function EnvironmentPanel({ model }: EnvironmentPanelProps): ReactElement | null {
  const rows = environmentRows(model.shown);
  if (rows.length === 0) return null;
  const differing = rows.filter((row) => row.differs).length;
  return (
    <Panel title="Environment" subtitle={`${differing} of ${rows.length} differ`} flush>
      <TreatmentTable label="Environment of the treatments" head="Fact" model={model} rows={rows} />
    </Panel>
  );
}

/** A warning if compared runs were executed in different environments. */
export function EnvironmentNotice({ model }: EnvironmentPanelProps): ReactElement | null {
  const words = environmentNotice(model.shown);
  if (words === null) return null;
  return (
    <section className={styles.notice} aria-label="Environment differs">
      <IconAlertTriangle size={18} stroke={2} aria-hidden />
      <div>
        <p className={styles.lead}>{words}</p>
        <p className={styles.more}>
          Differences between treatments may come from the environment; the table “Environment” lists it.
        </p>
      </div>
    </section>
  );
}

type TreatmentTableProps = {
  label: string;
  head: string;
  model: ComparisonViewModel;
  rows: readonly ParameterRow[];
};

function TreatmentTable({ label, head, model, rows }: TreatmentTableProps): ReactElement {
  return (
    <ScrollRegion className={styles.scroll} label={label}>
      <table className={styles.parameters}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {model.shown.map((entry) => (
              <th scope="col" key={entry.id}>
                <span className={styles.head}>
                  <TreatmentMark index={model.identity(entry).index} variant="dot" />
                  {model.nameOf(entry)}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">{row.label}</th>
              {row.values.map((value, index) => (
                <td key={model.shown[index]?.id}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
