import { Popover } from '@mantine/core';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { IconNote } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { TagList } from '../../../ui/facts.tsx';
import { LabelsEditor } from '../labels-editor.tsx';
import styles from './tags-cell.module.css';

type TagsCellProps = {
  experiment: ExperimentSummary;
  knownTags: readonly string[];
  isEdited: boolean;
  onEdit: () => void;
  onClose: () => void;
};

/** The tags of a row; a click on them edits name, tags and notes in place. */
export function TagsCell({ experiment, knownTags, isEdited, onEdit, onClose }: TagsCellProps): ReactElement {
  const { tags, notes } = experiment;
  return (
    <Popover opened={isEdited} onDismiss={onClose} position="bottom-end" trapFocus width={320} returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={styles.tags}
          aria-label={`Edit name, tags and notes${tags.length > 0 ? `; tags ${tags.join(', ')}` : ''}`}
          onClick={isEdited ? onClose : onEdit}
        >
          {notes !== '' && <IconNote size={14} stroke={2} aria-hidden />}
          {tags.length > 0 ? <TagList tags={tags} /> : <span className={styles.none}>Add a tag</span>}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        {isEdited && <LabelsEditor experiment={experiment} knownTags={knownTags} onClose={onClose} />}
      </Popover.Dropdown>
    </Popover>
  );
}
