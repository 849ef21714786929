import { Modal } from '@mantine/core';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { type ReactElement, useMemo } from 'react';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { formatAgo, formatDateTime } from '../../../ui/format.ts';
import { experimentCode } from '../describe-experiment.ts';
import { LabelsEditor } from '../labels-editor.tsx';
import type { ExperimentCommands } from '../use-experiment-commands.ts';
import { isLive, NameCell, ResultCell, StatusCell, TrialsCell, ValidityCell } from './experiment-cells.tsx';
import styles from './experiment-table.module.css';
import { RowMenu } from './row-menu.tsx';
import { TagsCell } from './tags-cell.tsx';
import { type ListRoom, useListRoom } from './use-list-room.ts';

export type ExperimentRowsProps = {
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
  medium: ['validity'],
  narrow: ['validity', 'tags'],
  least: ['validity', 'tags', 'result'],
};

const rowKey = ({ id }: ExperimentSummary): string => String(id);

export function ExperimentTable(props: ExperimentRowsProps): ReactElement {
  const { experiments, knownTags, nowMs, commands, selected, onSelect, editedId, onEdit } = props;
  const room = useListRoom();
  const columns = useMemo<Column<ExperimentSummary>[]>(
    () => [
      {
        id: 'name',
        head: 'Experiment',
        sortValue: (row) => row.name,
        cell: (row) => <NameCell experiment={row} />,
      },
      {
        id: 'status',
        head: 'Status',
        width: '124px',
        sortValue: (row) => row.status,
        cell: (row) => <StatusCell experiment={row} />,
      },
      { id: 'trials', head: 'Trials done', width: '116px', cell: (row) => <TrialsCell experiment={row} /> },
      { id: 'validity', head: 'Validity', width: '104px', cell: (row) => <ValidityCell experiment={row} /> },
      {
        id: 'result',
        head: 'Main result, 95 % CI',
        width: room === 'full' ? '328px' : '244px',
        cell: (row) => <ResultCell experiment={row} />,
      },
      {
        id: 'tags',
        head: 'Tags',
        width: room === 'full' ? '132px' : '96px',
        cell: (row) => (
          <TagsCell
            experiment={row}
            knownTags={knownTags}
            isEdited={editedId === row.id}
            onEdit={() => onEdit(row.id)}
            onClose={() => onEdit(null)}
          />
        ),
      },
      {
        id: 'updated',
        head: 'Updated',
        width: '128px',
        sortValue: (row) => row.updatedAt,
        cell: (row) => (
          <span className={styles.last}>
            <time title={formatDateTime(row.updatedAt)}>{formatAgo(row.updatedAt, nowMs)}</time>
            <RowMenu experiment={row} commands={commands} onEdit={() => onEdit(row.id)} />
          </span>
        ),
      },
    ],
    [knownTags, nowMs, commands, editedId, onEdit, room],
  );
  const hidden = hiddenColumns[room];
  const shown = useMemo(() => columns.filter((column) => !hidden.includes(column.id)), [columns, hidden]);
  const edited = hidden.includes('tags') && experiments.find((one) => one.id === editedId);
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
        initialSort={{ columnId: 'updated', direction: 'descending' }}
        selection={{ selected, onChange: onSelect, rowName: (row) => experimentCode(row.id) }}
        onOpenRow={commands.open}
        isLive={isLive}
      />
    </>
  );
}
