import { Button, Menu } from '@mantine/core';
import { IconFileExport, IconFileImport } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { api } from '../../../api/client.ts';
import { showUndoToast } from '../../../ui/undo-toast.tsx';
import { ImportPlanDialog } from '../../experiments/import-plan-dialog.tsx';
import { parsePlanFile } from '../draft/parse-plan-file.ts';
import { useWizard } from '../wizard-context.tsx';
import styles from './plan-files.module.css';

/** The plan as a file, in and out. */
export function PlanFiles(): ReactElement {
  const { experiment, draft, store } = useWizard();
  const [isImporting, setImporting] = useState(false);
  const take = async (text: string) => {
    const imported = await parsePlanFile(text);
    store.edit(imported);
    showUndoToast({ message: 'The file replaced this draft', onUndo: () => store.edit(draft) });
  };
  const download = async (format: 'yaml' | 'json') => {
    await store.flush();
    window.location.assign(api.planUrl(experiment.id, format));
  };
  return (
    <div className={styles.files}>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        leftSection={<IconFileImport size={14} stroke={2} aria-hidden />}
        onClick={() => setImporting(true)}
      >
        Import
      </Button>
      <Menu position="top-start">
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            leftSection={<IconFileExport size={14} stroke={2} aria-hidden />}
          >
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void download('yaml')}>Plan as YAML</Menu.Item>
          <Menu.Item onClick={() => void download('json')}>Plan as JSON</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ImportPlanDialog
        opened={isImporting}
        onClose={() => setImporting(false)}
        hint="It replaces this draft; that can be undone."
        onImport={take}
      />
    </div>
  );
}
