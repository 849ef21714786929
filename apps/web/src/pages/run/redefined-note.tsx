import { definitionChanges, definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Redefined } from '@mqttlab/shared/domain/runs/run';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import styles from './lineage.module.css';

/** Told in full before the rest is only counted. */
const most = 4;

/** What became of figures that an earlier version had computed by other definitions. */
export function RedefinedNote({ redefined }: { redefined: Redefined | undefined }): ReactElement | null {
  if (!redefined) return null;
  const { changes } = redefined;
  const said = changes.slice(0, most).map(({ metric, before, after }) => {
    const { label, unit } = findMetric(metric) ?? { label: metric, unit: '' };
    return `${label} ${formatQuantity(before, unit)} → ${after === null ? 'none' : formatQuantity(after, unit)}`;
  });
  const rest = changes.length - said.length;
  const figures = said.length === 0 ? '' : ` ${said.join('; ')}${rest > 0 ? `; ${rest} more` : ''}.`;
  return (
    <p className={styles.lineage}>
      <IconInfoCircle size={14} stroke={2.2} aria-hidden />
      <span>
        Computed anew from its stored evidence by later definitions: {whatChanged()}.{figures}
      </span>
    </p>
  );
}

/** The newest change of definitions in words. */
export function whatChanged(): string {
  return definitionChanges.find(({ version }) => version === definitionsVersion)?.what ?? '';
}
