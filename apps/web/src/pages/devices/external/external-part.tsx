import { Button, VisuallyHidden } from '@mantine/core';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { type Icon, IconDeviceFloppy, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { ActionButton } from '../../../ui/input/action-button.tsx';
import { IconButton } from '../../../ui/input/buttons.tsx';
import { Panel } from '../../../ui/panel.tsx';
import styles from './external.module.css';

type ExternalPartPanelProps = {
  testbed: TestbedStatus;
  /** What it is called in "External broker". */
  noun: string;
  icon: Icon;
  subtitle: string | undefined;
  /** Further buttons, before those with which an administrator changes and removes it. */
  actions: ReactNode;
  /** What is known of it; null where none is set. */
  known: ReactNode;
  /** What one could be, said where none is set. */
  offer: string;
  onEdit: () => void;
  onRemove: () => void;
  /** Its dialogs. */
  children: ReactNode;
};

/** A part of a testbed without an agent: an external broker, or a device that cannot run an agent. */
export function ExternalPartPanel(props: ExternalPartPanelProps): ReactElement {
  const {
    testbed,
    noun,
    icon: PartIcon,
    subtitle,
    actions,
    known,
    offer,
    onEdit,
    onRemove,
    children,
  } = props;
  const isAdministrator = useApi('GET /session').data?.role === 'administrator';
  return (
    <Panel
      flush
      title={
        <>
          External {noun}
          {/* Each testbed has one: read out, their names differ. */}
          <VisuallyHidden> of {testbed.name}</VisuallyHidden>
        </>
      }
      subtitle={subtitle}
      mark={<PartIcon className={styles.icon} size={16} stroke={2} aria-hidden />}
      actions={
        known !== null && (
          <>
            {actions}
            {isAdministrator && (
              <>
                <IconButton icon={IconPencil} label={`Change the external ${noun}`} onClick={onEdit} />
                <IconButton icon={IconTrash} label={`Remove the external ${noun}`} onClick={onRemove} />
              </>
            )}
          </>
        )
      }
    >
      {known ?? (
        <div className={styles.none}>
          <p>
            {offer}
            {!isAdministrator && ' An administrator sets it.'}
          </p>
          {isAdministrator && (
            <ActionButton icon={IconPlus} onClick={onEdit}>
              Set an external {noun}
            </ActionButton>
          )}
        </div>
      )}
      {children}
    </Panel>
  );
}

type SaveButtonsProps = { isPending: boolean; onCancel: () => void };

export function SaveButtons({ isPending, onCancel }: SaveButtonsProps): ReactElement {
  return (
    <>
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <ActionButton type="submit" variant="filled" icon={IconDeviceFloppy} loading={isPending}>
        Save
      </ActionButton>
    </>
  );
}
