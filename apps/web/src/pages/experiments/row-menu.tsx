import { ActionIcon, Menu } from '@mantine/core';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
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
import { type ReactElement, useState } from 'react';
import { api } from '../../api/client.ts';
import { experimentCode } from '../../ui/format.ts';
import { type MenuAction, MenuActions } from '../../ui/input/action-button.tsx';
import { SaveStudyDialog } from './save-study-dialog.tsx';
import type { ExperimentCommands } from './use-experiment-commands.ts';

type RowMenuProps = {
  experiment: ExperimentSummary;
  commands: ExperimentCommands;
  /** Opens the editor of name, tags and notes in this row. */
  onEdit: () => void;
};

/** What can be done with an experiment of the list; with one that cannot be read: save what is stored, and delete. */
export function RowMenu({ experiment, commands, onEdit }: RowMenuProps): ReactElement {
  const { id, status, broken } = experiment;
  const [isSaving, setIsSaving] = useState(false);
  const remove = { label: 'Delete', icon: IconTrash, isDanger: true, onClick: () => commands.remove(id) };
  const stored = { label: 'Export what is stored', icon: IconFileExport, href: api.storedUrl(id) };
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
            label: experiment.keepEverything ? 'Let old series go' : 'Keep everything',
            icon: IconDatabase,
            onClick: () => commands.keepEverything(id, !experiment.keepEverything),
          },
          { label: 'Save as a study', icon: IconBooks, onClick: () => setIsSaving(true) },
        ],
        [
          { label: 'Export plan as YAML', icon: IconFileExport, href: api.planUrl(id, 'yaml') },
          { label: 'Export plan as JSON', icon: IconBraces, href: api.planUrl(id, 'json') },
        ],
        [remove],
      ];
  return (
    <>
      {!broken && (
        <SaveStudyDialog experiment={experiment} opened={isSaving} onClose={() => setIsSaving(false)} />
      )}
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
