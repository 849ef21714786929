import { ActionIcon, Menu } from '@mantine/core';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import {
  IconArrowRight,
  IconBooks,
  IconBraces,
  IconCopy,
  IconDots,
  IconFileExport,
  IconTag,
  IconTrash,
} from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { api } from '../../../api/client.ts';
import { SaveStudyDialog } from '../../studies/save-study-dialog.tsx';
import { experimentCode } from '../describe-experiment.ts';
import type { ExperimentCommands } from '../use-experiment-commands.ts';

type RowMenuProps = {
  experiment: ExperimentSummary;
  commands: ExperimentCommands;
  /** Opens the editor of name, tags and notes in this row. */
  onEdit: () => void;
};

const icon = { size: 16, stroke: 2, 'aria-hidden': true } as const;

/** What can be done with an experiment of the list; with one that cannot be read: save what is stored, and delete. */
export function RowMenu(props: RowMenuProps): ReactElement {
  const { experiment, commands } = props;
  return experiment.broken ? (
    <BrokenRowMenu id={experiment.id} onRemove={commands.remove} />
  ) : (
    <WholeRowMenu {...props} />
  );
}

function BrokenRowMenu({ id, onRemove }: { id: number; onRemove: (id: number) => void }): ReactElement {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${experimentCode(id)}`}>
          <IconDots {...icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={api.storedUrl(id)} download leftSection={<IconFileExport {...icon} />}>
          Export what is stored
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash {...icon} />} onClick={() => onRemove(id)}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function WholeRowMenu({ experiment, commands, onEdit }: RowMenuProps): ReactElement {
  const { id, status } = experiment;
  const [isSaving, setIsSaving] = useState(false);
  return (
    <>
      <SaveStudyDialog experiment={experiment} opened={isSaving} onClose={() => setIsSaving(false)} />
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${experimentCode(id)}`}>
            <IconDots {...icon} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconArrowRight {...icon} />} onClick={() => commands.open(experiment)}>
            {status === 'draft' ? 'Go on editing' : 'Open'}
          </Menu.Item>
          <Menu.Item leftSection={<IconCopy {...icon} />} onClick={() => commands.clone(id)}>
            Clone
          </Menu.Item>
          <Menu.Item leftSection={<IconTag {...icon} />} onClick={onEdit}>
            Edit name, tags and notes
          </Menu.Item>
          <Menu.Item leftSection={<IconBooks {...icon} />} onClick={() => setIsSaving(true)}>
            Save as a study
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            component="a"
            href={api.planUrl(id, 'yaml')}
            download
            leftSection={<IconFileExport {...icon} />}
          >
            Export plan as YAML
          </Menu.Item>
          <Menu.Item
            component="a"
            href={api.planUrl(id, 'json')}
            download
            leftSection={<IconBraces {...icon} />}
          >
            Export plan as JSON
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash {...icon} />} onClick={() => commands.remove(id)}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
