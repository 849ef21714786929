import { Button, Modal, Textarea } from '@mantine/core';
import type { Inventory } from '@mqttlab/shared/messages/inventory';
import { type ReactElement, useEffect, useState } from 'react';
import { ChooseFile } from '../../../../ui/input/choose-file.tsx';
import { Field } from '../../../../ui/input/field.tsx';
import { ImportProblem } from '../../../experiments/import-problem.tsx';
import styles from '../remote.module.css';
import { useBeginImport } from './import-calls.ts';
import { ImportProgress } from './import-progress.tsx';
import { InventoryKeys } from './inventory-keys.tsx';
import { readInventory } from './read-inventory.ts';

type ImportInventoryDialogProps = {
  opened: boolean;
  /** As a link brought it; empty where a person is to give it. */
  initialText: string;
  onClose: () => void;
};

/** Many devices at once: the text, then their host keys, then the work on each of them. */
export function ImportInventoryDialog(props: ImportInventoryDialogProps): ReactElement {
  const { opened, onClose } = props;
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={720}>
      <div className={styles.dialogHead}>
        <Modal.Title>Import an inventory</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <ImportInventory {...props} />}
    </Modal>
  );
}

function ImportInventory({ initialText, onClose }: ImportInventoryDialogProps): ReactElement {
  const [text, setText] = useState(initialText);
  const [inventory, setInventory] = useState<Inventory | null>(null);
  const [error, setError] = useState<unknown>(null);
  const begin = useBeginImport();
  const take = (given: string): void => {
    setError(null);
    readInventory(given).then(setInventory, setError);
  };
  useEffect(() => {
    if (initialText === '') return;
    readInventory(initialText).then(setInventory, setError);
  }, [initialText]);
  if (begin.data) return <ImportProgress onBack={() => begin.reset()} onClose={onClose} />;
  if (inventory) {
    return (
      <InventoryKeys
        inventory={inventory}
        error={begin.error}
        isPending={begin.isPending}
        onBack={() => setInventory(null)}
        onConfirm={(wish) => begin.mutate(wish)}
      />
    );
  }
  return <InventoryText text={text} error={error} onChange={setText} onTake={take} />;
}

type InventoryTextProps = {
  text: string;
  error: unknown;
  onChange: (text: string) => void;
  onTake: (text: string) => void;
};

function InventoryText({ text, error, onChange, onTake }: InventoryTextProps): ReactElement {
  const takeFile = async (file: File | null | undefined): Promise<void> => {
    if (file) onChange(await file.text());
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onTake(text);
      }}
    >
      <Field
        label="Inventory, JSON or YAML"
        hint={
          <>
            What <code>npm run lab</code> prints, or your own list. Choose or drop a file, or paste its text.
          </>
        }
      >
        {(control) => (
          <Textarea
            {...control}
            data-autofocus
            classNames={{ input: styles.text ?? '' }}
            rows={12}
            spellCheck={false}
            placeholder={
              'testbed: Kitchen\ndevices:\n  - name: pi-1\n    address: 192.168.1.5\n    user: pi\n    password: …\n    links:\n      - { name: ethernet, interface: eth0 }\n      - { name: wifi, interface: wlan0 }'
            }
            value={text}
            onChange={(event) => onChange(event.currentTarget.value)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              void takeFile(event.dataTransfer.files[0]);
            }}
          />
        )}
      </Field>
      {error !== null && <ImportProblem error={error} />}
      <div className={styles.buttons}>
        <ChooseFile accept=".json,.yaml,.yml,application/json" onChoose={(file) => void takeFile(file)} />
        <Button type="submit" disabled={text.trim() === ''}>
          Show the devices
        </Button>
      </div>
    </form>
  );
}
