import { Button, Textarea } from '@mantine/core';
import { type Inventory, inventorySchema } from '@mqttlab/shared/messages/inventory';
import { type ReactElement, useEffect, useState } from 'react';
import { parseDocument } from '../../../api/parse-document.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { ChooseFile } from '../../../ui/input/buttons.tsx';
import { Field } from '../../../ui/input/field.tsx';
import { ImportProblem } from '../../experiments/import-plan-dialog.tsx';
import { useBeginImport } from '../remote/device-calls.ts';
import styles from '../remote/remote.module.css';
import { InventoryKeys } from './import-keys.tsx';
import { ImportProgress } from './import-progress.tsx';

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
    <Dialog title="Import an inventory" size={720} opened={opened} onClose={onClose}>
      <ImportInventory {...props} />
    </Dialog>
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
    <DialogForm
      onSubmit={() => onTake(text)}
      buttons={
        <>
          <ChooseFile accept=".json,.yaml,.yml,application/json" onChoose={(file) => void takeFile(file)} />
          <Button type="submit" disabled={text.trim() === ''}>
            Show devices
          </Button>
        </>
      }
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
    </DialogForm>
  );
}

const hashPrefix = '#inventory=';

/** Text of an inventory, YAML or JSON. Throws an ApiError that names every field that is wrong. */
export function readInventory(text: string): Promise<Inventory> {
  return parseDocument(text, inventorySchema, {
    title: 'Not an inventory',
    noDocument: 'This is neither YAML nor JSON',
    noDocumentRemedy:
      'Paste everything that "npm run -s lab -- show" prints, from the first { to the last }.',
    wrongForm: 'This is not an inventory.',
    wrongFormRemedy: 'Compare it with what "npm run -s lab -- show" prints.',
  });
}

/** The text that a link of `npm run lab` carries behind its #; null where there is none. */
export function inventoryInHash(hash: string): string | null {
  if (!hash.startsWith(hashPrefix)) return null;
  try {
    const bytes = atob(hash.slice(hashPrefix.length).replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
  } catch {
    return '';
  }
}
