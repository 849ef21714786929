import { Checkbox, Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { type ReactElement, useMemo } from 'react';
import { wordColumn } from '../../ui/columns.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { experimentCode, formatAgo, formatDateTime } from '../../ui/format.ts';
import {
  isLive,
  NameCell,
  ResultCell,
  StatusCell,
  TagsCell,
  TrialsCell,
  ValidityCell,
} from './experiment-cells.tsx';
import styles from './experiments.module.css';
import { LabelsEditor } from './labels-editor.tsx';
import { RowMenu } from './row-menu.tsx';
import type { ExperimentCommands } from './use-experiment-commands.ts';

type ExperimentRowsProps = {
  experiments: readonly ExperimentSummary[];
  knownTags: readonly string[];
  nowMs: number;
  commands: ExperimentCommands;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  /** The row whose name, tags and notes are being edited. */
  editedId: number | null;
  onEdit: (id: number | null) => void;
};

/** What gives way first where the window is narrow; everything is still on the page of the experiment. */
const hiddenColumns: Readonly<Record<ListRoom, readonly string[]>> = {
  full: [],
  medium: ['Validity'],
  narrow: ['Validity', 'Tags'],
  least: ['Validity', 'Tags', 'Main result, 95 % CI'],
};

const rowKey = ({ id }: ExperimentSummary): string => String(id);

export function ExperimentTable(props: ExperimentRowsProps): ReactElement {
  const { experiments, knownTags, nowMs, commands, selected, onSelect, editedId, onEdit } = props;
  const room = useListRoom();
  const columns = useMemo<Column<ExperimentSummary>[]>(
    () => [
      { ...wordColumn('Experiment', (row) => <NameCell experiment={row} />), sortValue: (row) => row.name },
      {
        ...wordColumn('Status', (row) => <StatusCell experiment={row} />, { width: '124px' }),
        sortValue: (row) => row.status,
      },
      wordColumn('Trials done', (row) => <TrialsCell experiment={row} />, { width: '116px' }),
      wordColumn('Validity', (row) => <ValidityCell experiment={row} />, { width: '104px' }),
      wordColumn('Main result, 95 % CI', (row) => <ResultCell experiment={row} />, {
        width: room === 'full' ? '328px' : '244px',
      }),
      wordColumn(
        'Tags',
        (row) => (
          <TagsCell
            experiment={row}
            knownTags={knownTags}
            isEdited={editedId === row.id}
            onEdit={() => onEdit(row.id)}
            onClose={() => onEdit(null)}
          />
        ),
        { width: room === 'full' ? '132px' : '96px' },
      ),
      {
        ...wordColumn('Updated', (row) => (
          <span className={styles.last}>
            <time title={formatDateTime(row.updatedAt)}>{formatAgo(row.updatedAt, nowMs)}</time>
            <RowMenu experiment={row} commands={commands} onEdit={() => onEdit(row.id)} />
          </span>
        )),
        width: '128px',
        sortValue: (row) => row.updatedAt,
      },
    ],
    [knownTags, nowMs, commands, editedId, onEdit, room],
  );
  const hidden = hiddenColumns[room];
  const shown = useMemo(() => columns.filter((column) => !hidden.includes(column.id)), [columns, hidden]);
  const edited = hidden.includes('Tags') && experiments.find((one) => one.id === editedId);
  return (
    <>
      {edited && (
        <Modal opened onClose={() => onEdit(null)} withCloseButton={false}>
          <Modal.Title mb="sm">Name, tags and notes</Modal.Title>
          <LabelsEditor experiment={edited} knownTags={knownTags} onClose={() => onEdit(null)} />
        </Modal>
      )}
      <DataTable
        label="Experiments"
        density="two-line"
        columns={shown}
        rows={experiments}
        rowKey={rowKey}
        initialSort={{ columnId: 'Updated', direction: 'descending' }}
        selection={{ selected, onChange: onSelect, rowName: (row) => experimentCode(row.id) }}
        onOpenRow={commands.open}
        isLive={isLive}
      />
    </>
  );
}

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
            <div className={styles.cardFoot}>
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

type ListRoom = 'full' | 'medium' | 'narrow' | 'least';

const now = { getInitialValueInEffect: false };

/** How many columns of the list the window has room for. */
function useListRoom(): ListRoom {
  const isFull = useMediaQuery('(min-width: 1240px)', true, now);
  const isMedium = useMediaQuery('(min-width: 1140px)', true, now);
  const isNarrow = useMediaQuery('(min-width: 1000px)', true, now);
  return isFull ? 'full' : isMedium ? 'medium' : isNarrow ? 'narrow' : 'least';
}
