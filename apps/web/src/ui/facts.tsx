import type { EnergyQuality } from '@mqttlab/shared/domain/devices/capabilities';
import { NO_VALUE } from '@mqttlab/shared/format/number';
import { type Icon, IconCircuitAmmeter, IconCpu, IconFlag, IconMathFunction } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import styles from './facts.module.css';
import { ScrollRegion } from './panel.tsx';

export type Fact = { label: string; value: ReactNode; strong?: boolean };

/** A label on the left and a value on the right, such as the duration of a plan. */
export function Facts({ facts }: { facts: readonly Fact[] }): ReactElement {
  return (
    <dl className={styles.facts}>
      {facts.map(({ label, value, strong }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd data-strong={strong || undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export type FactsColumn = { key: string; label: ReactNode; host?: string };

export type FactsRow = {
  key: string;
  label: string;
  /** One value per column. */
  values: readonly ReactNode[];
  /** True if all values are equal; the value is then shown once. */
  isShared: boolean;
};

type FactsTableProps = { label: string; columns: readonly FactsColumn[]; rows: readonly FactsRow[] };

/** Facts of several devices side by side. */
export function FactsTable({ label, columns, rows }: FactsTableProps): ReactElement {
  return (
    <ScrollRegion className={styles.scroll} label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Fact</th>
            {columns.map(({ key, label: name, host }) => (
              <th key={key} scope="col">
                {name} {host && <span className="mono">{host}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.label}</th>
              {row.isShared ? (
                <td colSpan={columns.length}>
                  {row.values[0]}
                  {row.values[0] !== NO_VALUE && <span className={styles.same}> on all devices</span>}
                </td>
              ) : (
                columns.map(({ key }, index) => <td key={key}>{row.values[index]}</td>)
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

export function Tag({ children }: { children: ReactNode }): ReactElement {
  return <span className={styles.tag}>{children}</span>;
}

export function TagList({ tags }: { tags: readonly string[] }): ReactElement {
  return (
    <span className={styles.list}>
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  );
}

export type KeyFigure = {
  label: ReactNode;
  /** The figure with its unit: "16.4 ms". */
  value: ReactNode;
  /** Dimmed after the figure: "6 runs 17.0". */
  note?: ReactNode;
  /** Relative width in the strip. Default: 1. */
  grow?: number;
  /** True if a failed verdict affects the figure. */
  isFlagged?: boolean;
};

/** The strip under a page head, which shows each figure with its label above it. */
export function KeyFigures({
  figures,
  label,
}: {
  figures: readonly KeyFigure[];
  label: string;
}): ReactElement {
  return (
    <dl className={styles.strip} aria-label={label}>
      {figures.map((figure, i) => (
        <div
          key={typeof figure.label === 'string' ? figure.label : `figure-${i}`}
          style={{ flexGrow: figure.grow ?? 1 }}
        >
          <dt>
            {figure.label}
            {figure.isFlagged && (
              <IconFlag className={styles.flag} size={12} stroke={2.2} role="img" aria-label="flagged" />
            )}
          </dt>
          <dd>
            <span className={styles.value}>{figure.value}</span>
            {figure.note && <span className={styles.note}>{figure.note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const qualityIcons: Readonly<Record<EnergyQuality, Icon>> = {
  measured: IconCircuitAmmeter,
  'on-board': IconCpu,
  modelled: IconMathFunction,
};

/** Quality label next to every energy value. */
export function QualityTag({ quality }: { quality: EnergyQuality }): ReactElement {
  const QualityIcon = qualityIcons[quality];
  return (
    <span className={styles.quality} data-quality={quality}>
      <QualityIcon size={12} stroke={2} aria-hidden />
      {quality}
    </span>
  );
}
