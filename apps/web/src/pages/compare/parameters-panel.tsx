import { Switch } from '@mantine/core';
import { parameterRows } from '@mqttlab/shared/analysis/parameters';
import type { ReactElement } from 'react';
import { Panel } from '../../ui/panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import styles from './compare.module.css';
import type { ComparisonViewModel } from './comparison-view-model.ts';

type ParametersPanelProps = { model: ComparisonViewModel; all: boolean; onChange(all: boolean): void };

/** What was asked of each treatment, side by side; by default only what differs. */
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
        <section className={styles.scroll} aria-label="Parameters of the treatments">
          <table className={styles.parameters}>
            <thead>
              <tr>
                <th scope="col">Parameter</th>
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
              {shown.map((row) => (
                <tr key={row.id}>
                  <th scope="row">{row.label}</th>
                  {row.values.map((value, index) => (
                    <td key={model.shown[index]?.id}>{value}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Panel>
  );
}
