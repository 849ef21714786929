import { Checkbox } from '@mantine/core';
import type { ReactElement } from 'react';
import { formatAgo } from '../../../ui/format.ts';
import { experimentCode } from '../describe-experiment.ts';
import styles from './experiment-cards.module.css';
import { isLive, NameCell, ResultCell, StatusCell, TrialsCell, ValidityCell } from './experiment-cells.tsx';
import type { ExperimentRowsProps } from './experiment-table.tsx';
import { RowMenu } from './row-menu.tsx';
import { TagsCell } from './tags-cell.tsx';

/** The list on phones: one card each. */
export function ExperimentCards(props: ExperimentRowsProps): ReactElement {
  const { experiments, knownTags, nowMs, commands, selected, onSelect, editedId, onEdit } = props;
  const toggle = (key: string) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    onSelect(next);
  };
  return (
    <ul className={styles.cards} aria-label="Experiments">
      {experiments.map((row) => {
        const key = String(row.id);
        return (
          <li key={key} className={styles.card} data-live={isLive(row) || undefined}>
            <div className={styles.top}>
              <Checkbox
                aria-label={`Select ${experimentCode(row.id)}`}
                checked={selected.has(key)}
                onChange={() => toggle(key)}
              />
              <div className={styles.name}>
                <NameCell experiment={row} />
              </div>
              <RowMenu experiment={row} commands={commands} onEdit={() => onEdit(row.id)} />
            </div>
            <div className={styles.pair}>
              <div>
                <StatusCell experiment={row} />
              </div>
              <div>
                <TrialsCell experiment={row} />
              </div>
            </div>
            {row.headline && (
              <div className={styles.pair}>
                <div className={styles.result}>
                  <ResultCell experiment={row} />
                </div>
              </div>
            )}
            <div className={styles.foot}>
              <ValidityCell experiment={row} />
              <TagsCell
                experiment={row}
                knownTags={knownTags}
                isEdited={editedId === row.id}
                onEdit={() => onEdit(row.id)}
                onClose={() => onEdit(null)}
              />
              <time className="dim">{formatAgo(row.updatedAt, nowMs)}</time>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
