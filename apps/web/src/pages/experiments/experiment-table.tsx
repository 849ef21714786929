import { ActionIcon, Checkbox, Menu, Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { addressOf } from '@mqttlab/shared/messages/address';
import {
  IconArrowRight,
  IconBooks,
  IconBraces,
  IconCopy,
  IconDatabase,
  IconDots,
  IconFileExport,
  IconTag,
  IconTrash,
} from '@tabler/icons-react';
import { type ReactElement, useMemo, useState } from 'react';
import { wordColumn } from '../../ui/columns.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { experimentCode, formatAgo, formatDateTime } from '../../ui/format.ts';
import { type MenuAction, MenuActions } from '../../ui/input/action-button.tsx';
import { late } from '../../ui/late.tsx';
import {
  isLive,
  LabelsEditor,
  NameCell,
  ResultCell,
  StatusCell,
  TagsCell,
  TrialsCell,
  ValidityCell,
} from './experiment-cells.tsx';
import styles from './experiments.module.css';
import type { ExperimentCommands } from './use-experiment-commands.ts';

const SaveStudyDialog = late(async () => (await import('./save-study-dialog.tsx')).SaveStudyDialog);

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

/** Columns hidden in narrow windows. The experiment page shows all of them. */
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

/** The list on phones: one card per experiment. */
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

/** Selects the columns that fit the window. */
function useListRoom(): ListRoom {
  const isFull = useMediaQuery('(min-width: 1240px)', true, now);
  const isMedium = useMediaQuery('(min-width: 1140px)', true, now);
  const isNarrow = useMediaQuery('(min-width: 1000px)', true, now);
  return isFull ? 'full' : isMedium ? 'medium' : isNarrow ? 'narrow' : 'least';
}

type RowMenuProps = {
  experiment: ExperimentSummary;
  commands: ExperimentCommands;
  /** Opens the editor of name, tags and notes in this row. */
  onEdit: () => void;
};

/** Actions of an experiment in the list. Unreadable experiments can only be exported and deleted. */
function RowMenu({ experiment, commands, onEdit }: RowMenuProps): ReactElement {
  const { id, status, broken } = experiment;
  const [isSaving, setIsSaving] = useState(false);
  const remove = { label: 'Delete', icon: IconTrash, isDanger: true, onClick: () => commands.remove(id) };
  const stored = {
    label: 'Export stored data',
    icon: IconFileExport,
    href: addressOf('GET /experiments/{id}/stored.ndjson', { params: { id } }),
  };
  const groups: MenuAction[][] = broken
    ? [[stored], [remove]]
    : [
        [
          {
            label: status === 'draft' ? 'Continue editing' : 'Open',
            icon: IconArrowRight,
            onClick: () => commands.open(experiment),
          },
          { label: 'Clone', icon: IconCopy, onClick: () => commands.clone(id) },
          { label: 'Edit name, tags and notes', icon: IconTag, onClick: onEdit },
          {
            label: experiment.keepEverything ? 'Allow removal of old series' : 'Keep everything',
            icon: IconDatabase,
            onClick: () => commands.keepEverything(id, !experiment.keepEverything),
          },
          { label: 'Save as a study', icon: IconBooks, onClick: () => setIsSaving(true) },
        ],
        [
          {
            label: 'Export plan as YAML',
            icon: IconFileExport,
            href: addressOf('GET /experiments/{id}/plan.yaml', { params: { id } }),
          },
          {
            label: 'Export plan as JSON',
            icon: IconBraces,
            href: addressOf('GET /experiments/{id}/plan.json', { params: { id } }),
          },
        ],
        [remove],
      ];
  return (
    <>
      {isSaving && !broken && <SaveStudyDialog experiment={experiment} onClose={() => setIsSaving(false)} />}
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${experimentCode(id)}`}>
            <IconDots size={16} stroke={2} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <MenuActions groups={groups} />
      </Menu>
    </>
  );
}
