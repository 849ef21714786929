import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { Loaded } from '../../api/loaded.tsx';
import { CopyField } from '../../share/copy-field.tsx';
import { DataTable, type DataTableProps } from '../../ui/data-table.tsx';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import styles from './settings-page.module.css';

type ListPanelProps<Row> = Omit<DataTableProps<Row>, 'label' | 'rows' | 'empty'> & {
  title: string;
  subtitle: string;
  query: Parameters<typeof Loaded<readonly Row[]>>[0]['query'];
  /** Shown if the list is empty. */
  empty: string;
  /** The "Add" button and its dialog. */
  add?: { label: string; dialog: (state: { opened: boolean; onClose: () => void }) => ReactElement };
};

/** A settings panel: a table with a button that adds a row. */
export function ListPanel<Row>(props: ListPanelProps<Row>): ReactElement {
  const { title, subtitle, query, empty, add, ...table } = props;
  const [isAdding, setAdding] = useState(false);
  const actions = add && (
    <ActionButton small icon={IconPlus} onClick={() => setAdding(true)}>
      {add.label}
    </ActionButton>
  );
  return (
    <Panel flush title={title} subtitle={subtitle} actions={actions}>
      <Loaded query={query} skeleton={<TableSkeleton rows={2} />} errorClass={styles.inPanel}>
        {(rows) =>
          rows.length === 0 ? (
            <p className={styles.none}>{empty}</p>
          ) : (
            <DataTable {...table} label={title} rows={rows} />
          )
        }
      </Loaded>
      {add?.dialog({ opened: isAdding, onClose: () => setAdding(false) })}
    </Panel>
  );
}

interface Made {
  secret: string;
  /** Explains how to use the secret, and that it is not shown again. */
  words: ReactNode;
}

type SecretDialogProps = {
  title: string;
  titleOfSecret: string;
  size: number;
  opened: boolean;
  onClose: () => void;
  /** The form. Calls back with the secret, or null if there is none to show. */
  form: (onMade: (made: Made | null) => void) => ReactElement;
};

/** A dialog that adds an item and shows its new secret once. */
export function SecretDialog({ opened, onClose, form, ...words }: SecretDialogProps): ReactElement {
  const [made, setMade] = useState<Made | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog
      title={made ? words.titleOfSecret : words.title}
      size={words.size}
      opened={opened}
      onClose={close}
      // A click outside must not close the dialog, because the secret is shown only once.
      staysOpen={made !== null}
    >
      {made ? (
        <DialogForm buttons={<Button onClick={close}>Done</Button>}>
          <p className={styles.words}>{made.words}</p>
          <CopyField label="Secret" text={made.secret} />
        </DialogForm>
      ) : (
        form((done) => (done === null ? close() : setMade(done)))
      )}
    </Dialog>
  );
}
